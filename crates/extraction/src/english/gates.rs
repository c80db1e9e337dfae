//! Signs of English sentences that are not kept. The first that matches gives the reason.

use crate::gates::{Gate, gate};
use memory_model::SkipReason::{
    Hypothetical, NegatedIntention, Question, Quoted, Sarcasm, ThirdPerson, Transient, TransientRequest,
};

/// In the order they are asked.
pub(crate) const ENGLISH_GATES: &[Gate] = &[
    Gate {
        takes_back: true,
        ..gate(
            NegatedIntention,
            r"^(?:no,? |oh,? |actually,? |wait,? |sorry,? )*(?:scratch that|never ?mind|forget (?:it|that|what i)|ignore (?:that|what i|the thing|my last)|i take (?:it|that) back|cancel that|i was wrong|strike that|disregard|not really|delete that)\b",
            "Scratch that, it was a mistake.",
        )
    },
    Gate {
        takes_back: true,
        ..gate(
            Sarcasm,
            r"^(?:just |i'm |i am |only |totally )?(?:kidding|joking|jk|just kidding|as if|yeah right|not|/s)[.!]*$",
            "Just kidding.",
        )
    },
    gate(
        NegatedIntention,
        concat!(
            r"\b(?:don't save (?:it|that|this)|do not save (?:it|that|this)|i was (?:joking|kidding|wrong)|(?:it|that) was (?:just |only )?a joke|(?:wasn't|was not|weren't) serious|scratch my|forget (?:what|that|everything|the) (?:i|thing|part)|",
            r"it's not true that|it is not true that|not true that|ignore (?:that|the thing|what)|cancel that|we never agreed|isn't decided|is not decided|not decided yet|",
            r"haven't decided|have not decided|hasn't been decided|(?:that )?was someone else|never meant|take (?:that|it) back|changed my mind about (?:telling|sharing)|no longer true that i said|",
            r"i (?:said|told you|mentioned) (?:that )?.* but (?:that|it|i)|not sure (?:if|whether) i|decided nothing|either (?:one )?is fine|i (?:almost|nearly) (?:[a-z]+ed|bought|got|went|quit|took|had|did|fell|lost|made)\b)"
        ),
        "I said that I like jazz, but I was joking.",
    ),
    gate(
        Sarcasm,
        concat!(
            r"(?:\bas if\b[.!]*$|\byeah,? right\b|\boh,? sure\b|\blol,? as if|\bkidding\b|/s$|\bobviously\b[.!]?$|^(?:yeah,? |oh,? |sure,? )?because (?:obviously|clearly|i (?:totally|really|just|so|absolutely))|^(?:oh|wow|gee|great),? (?:\w+,? )?i (?:just|really|totally|absolutely|so|adore|love|live) |\bbest (?:feeling|day|thing) ever\b|,? ugh[.!]*$|\. not[.!]*$|",
            r"\bjust what i (?:needed|wanted)\b|\bthanks,? (?:laptop|computer|microsoft|apple|google|universe|life)\b|\bmy (?:absolute )?favou?rite thing in the world\b|\bsaid no(?:body| one)\b|^ha,? i just (?:love|adore)|\bcan't get enough of\b.*(?:conflict|error|bug|meeting|traffic)|🙄)"
        ),
        "Oh sure, I just love queueing in the rain.",
    ),
    gate(
        Hypothetical,
        concat!(
            r"(?:^(?:[a-z]+,? )?(?:if|suppose|supposing|imagine|assume|assuming|hypothetically|pretend|let's say|say i|what if|let us say|in theory)\b|\bfor the sake of argument\b|\bhypothetical|\blet's (?:say|pretend|assume|imagine)\b|",
            r"\bif i (?:was|were|had|liked|lived|worked|could|preferred|ever)\b|\bi (?:might|may|could) (?:\w+ )?|\bi would have\b|\bmaybe i\b|\bperhaps i\b|\bi'm (?:thinking|considering|wondering)\b|\bi am (?:thinking|considering)\b|\bthinking (?:about|of)\b|\bi wish\b|",
            r"\bas an? (?:example|hypothetical)\b|\bsomeday\b|\bone day i\b|\bwould be nice\b|\bi've been considering\b|\bwe might\b|\bwe could\b|\bwe may\b)"
        ),
        "If I were a pilot, I would prefer night flights.",
    )
    .unless(r"\bi could (?:do|live) without\b|\bi could (?:\w+ )?(?:eat|drink|watch|listen to|read|play|talk about|live on|spend) .*(?:every day|all day|forever|for hours|every night|rest of my life)"),
    gate(
        TransientRequest,
        concat!(
            r"^(?:(?:hey|hi|hello|ok|okay|so|then|now|well|haha|also|and|thanks|great|cool|yes|no)[,.!]* )*(?:please |pls |kindly |just |then |now )*",
            r"(?:can you|could you|would you|will you|can we|could we|can i|could i|may i|book|find|show|tell|give|write|translate|summari[sz]e|explain|set|remind|send|make|create|open|search|look|help|fix|check|add|remove|delete|",
            r"call (?:the|a|my|him|her)|buy|order|play|run|list|compare|proofread|rewrite|rephrase|draft|suggest|recommend|generate|convert|calculate|draw|describe|analy[sz]e|identify|simulate|schedule|cancel|turn|remember to|let me|let's (?:see|try|start|do|talk|look)|",
            r"do (?:a|an|the|this|it|that|not forget to)|don't forget to|act as|continue|go ahead|get|put|move|rename|change|update|merge|deploy|install|design|provide|read|print|build|answer (?:this|the|my|me)|format|shorten|expand|pick|choose|guess|paraphrase|clarify|elaborate|use (?:this|the following|these|it)|imagine|teach|compute|solve|plan|prepare|reserve|start|stop|try|think|respond to|reply to|extract|implement|refactor|debug)\b",
        ),
        "Book a table for two.",
    )
    .unless(r"\bover .+ any day\b|\bwhen(?:ever)? possible[.!]*$|,? (?:always|every time)[.!]*$"),
    gate(
        TransientRequest,
        concat!(
            r"(?:^|[ ,])(?:i need you to|i want you to|i'd like you to|i would like you to|i'd (?:like|love) (?:to (?:know|see|ask|hear|get|have|book|order|try|learn|understand)|a|an|some|the|it|that)|i would (?:like|love) (?:to (?:know|see|ask|hear|get|have|book|order|try|learn|understand)|a|an|some)|",
            r"i need (?:help|advice|to|a|an|some|your)|i want (?:to (?:know|see|ask|hear|get|book|order|understand)|a|an|some|you)|i'm (?:looking|trying|hoping|planning) (?:for|to)|i'm interested in (?:learning|trying|buying|finding|getting|visiting|exploring)|i am (?:looking|trying|hoping|planning) (?:for|to)|i wonder|let me know|any (?:suggestions|ideas|recommendations|tips)|",
            r"i (?:like|prefer|love|choose) (?:option|version|number|the (?:first|second|third|last) (?:one|option|version)|this one|that one)|go ahead with|\w+ looking for (?:some|a|an)|should i\b)",
        ),
        "I want you to draft a letter.",
    ),
    gate(
        Question,
        r"(?:\?[\s!?.\x22')]*$|^(?:(?:hey|hi|so|ok|and|but|well|wait)[,.!]* )*(?:(?:do|does|did|can|could|would|will|should|is|are|am|was|were|have|has|had|isn't|aren't|don't you|doesn't|didn't) (?:i|you|we|they|it|he|she|there|the|this|that|people|anyone|my|your|most|some)\b|(?:what|which|who|whom|whose|where|why)\b|how (?:do|does|did|can|could|would|much|many|long|come|to|about|is|are|often|old|far)\b))",
        "Do I like strong coffee?",
    )
    .unless(r"^(?:[a-z]+,? )?what i (?:really )?(?:enjoy|love|like|hate|dislike|prefer|can't stand|appreciate|value)\b[^?]*\b(?:is|are)\b[^?]*$"),
    gate(
        Transient,
        r"\b(?:today|tonight|right now|at the moment|this (?:morning|afternoon|evening|week|weekend|time|message|once)|for now|just this once|for this (?:message|time|one)|just for (?:now|today)|temporarily|tomorrow|yesterday|brb|for the time being|in a (?:minute|second|bit)|currently (?:waiting|reading|eating|on the)|just (?:got|finished|woke|ate|saw|bought|had)|until (?:tomorrow|monday|friday|next week)|an hour ago|last night|on my way|feeling (?:tired|sick|hungry|sleepy))\b",
        "I want soup tonight.",
    )
    .unless(r"\b(?:permanently|always|every|from now on|decided|agreed|voted|announced|as of (?:today|this)|starting|effective|mandatory|no longer|usually|until further notice|going forward|moved|switched)\b"),
    gate(
        Transient,
        r"^(?:i'm|i am|i feel|im|we're) (?:a bit |a little |so |very |really |kind of |just |too |pretty |still |getting )*(?:hungry|tired|sleepy|bored|busy|sick|cold|hot|sad|happy|angry|thirsty|stuck|confused|lost|ready|done|back|late|sorry|glad|excited|curious|fine|good|ok|okay|here|home|in a hurry|running late|not sure|sure|afraid (?:so|not)|going to (?:grab|get|eat|bed|sleep|the))\b",
        "I'm so hungry.",
    ),
    gate(
        ThirdPerson,
        concat!(
            r"^(?:(?:and|but|so|well|oh|yeah|actually|apparently|i (?:think|heard|know|guess)(?: that)?|by the way)[, ]+)*",
            r"(?:(?:he|she|they)\b|(?:his|her|their|someone|somebody|everyone|everybody|people|most people|some people|nobody|users?|customers?|kids|men|women|folks)\b|",
            r"my (?:(?:best|close|good|old|older|younger|little|big|new|former|ex|next-door|twin|late|dear) ?)*(?:friends?|sister|brother|mom|mum|mother|dad|father|cousin|uncle|aunt|boss|manager|coworker|co-worker|colleague|roommate|flatmate|neighbou?r|wife|husband|partner|girlfriend|boyfriend|son|daughter|kids?|children|parents|grandmother|grandfather|grandma|grandpa|teacher|professor|client|teammate|nephew|niece|landlord|in-laws|family|doctor|friend \w+)\b ?(?:\w+ )?",
            r"(?:is (?:not )?(?:a fan|into|allergic|vegan|vegetarian|afraid|against|obsessed|scared|opposed|averse|uncomfortable)|has an? |has (?:no|always|never|been)|doesn't|does not|won't|can't|cannot|never|always|usually|often|really|only|strictly|exclusively|strongly|absolutely|prefers?|likes?|loves?|hates?|enjoys?|dislikes?|avoids?|refuses?|finds?|lives?|works?|wants?|thinks?|believes?|says?|said|told|uses?|drinks?|eats?|plays?|adores?|despises?|detests?|can|do|don't|follows?|adheres?|steers?|stays?|goes|drives?|reads?|watches|listens?|speaks?|collects?|[a-z]+s )\b)"
        ),
        "My sister hates football.",
    )
    .unless(r"\b(?:my (?:dog|cat|manager|boss|doctor|wife|husband|son|daughter)(?:'s name)? is (?:called |named )?[a-z]+(?: [a-z]+)?$|and i |^my family \w+ .*\b(?:every|each|on \w+days)\b|^(?:(?:and|but|so|also) )?my (?:(?:twin|older|younger|little|big|late|only|oldest|youngest|grand) ?)*(?:mother|mom|mum|father|dad|parents|grandmother|grandma|grandfather|grandpa|grandparents|husband|wife|spouse|partner|fianc[eé]e?|sons?|daughters?|kids?|children|brothers?|sisters?|siblings) (?:(?:is|are|was|were) (?:an? (?:\w+ )?\w+[.!]*$|from|in|born|named|called|\w+ years|pregnant|\d)|(?:just |recently |also )?(?:lives?|lived|works?|worked|owns?|runs?|served|teaches|taught|passed|died|started|moved|graduated) )|^my (?:coworker|co-worker|colleague|teammate) \w+ (?:owns|leads|maintains|manages|handles|is (?:in charge|responsible))\b)"),
    gate(
        ThirdPerson,
        r"\b(?:said|says|told me|claims|insists|thinks|believes|mentioned) (?:that )?(?:he|she|they|i)\b",
        "Tom told me that he prefers trains.",
    ),
    gate(Quoted, r#"\b(?:wrote|says|said|goes|reads|quotes?|script|article|lyrics|proofread|sentence)\b.*\x{FFFC}"#, "A reviewer wrote: \"\u{FFFC}\u{FFFC}\u{FFFC}\""),
];
