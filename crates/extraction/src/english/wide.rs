//! English rules that are tried last: a plain sentence in the present tense or about a life, once everything more
//! telling has failed.

use crate::rules::{Rule, row};
use memory_model::Category::{Decision, Pattern, Preference, Profile, Project};
use memory_model::Polarity::{Negative, Positive};

/// What "from now on" makes of a habit.
pub(crate) const FROM_NOW_ON: Rule = row(
    "from now on, deed",
    Decision,
    Positive,
    r"",
    "From now on we tag every build.",
);

/// What an occasion that comes again makes of a plain deed.
pub(crate) const ON_OCCASION: Rule = row(
    "on occasion, deed",
    Pattern,
    Positive,
    r"",
    "Whenever I'm on a ferry I sketch the gulls.",
);

/// Rules that tell a plain deed, of a life or of an occasion.
pub(crate) const DEEDS: [&str; 2] = ["life now", "plain present"];

/// What wide English clauses mean.
pub(crate) const RULES: &[Rule] = &[
    // Decisions
    row(
        "stopped together",
        Decision,
        Negative,
        r"{US}(?:decided against|rejected|ruled out|voted (?:down|against)|declined|turned down|said no to|cancelled|canceled|no longer \w+ing|not (?:using|going with|doing|building|adopting|supporting|going to \w+)|dropping|phasing out|phased out|sunsetting|deprecating|deprecated|getting rid of|moving away from|moved away from|discontinuing|scrapping|scrapped|retiring) {O}",
        "We're dropping the fax line.",
    ),
    row(
        "chosen together",
        Decision,
        Positive,
        r"{US}(?:decided (?:to|on|that|upon)|agreed(?: to| on| that)?|chose|chosen|picked|settled on|landed on|going with|finali[sz]ed|approved|adopted|adopting|opted for|opted to|ended up (?:choosing|picking|going with|using)|selected|voted (?:to|for)|signed up for|enrolled in|committed to|made up (?:my|our) minds?(?: to|:| that)?|resolved to|switched to|replacing|moving from|sticking with|staying with|relocating to|turned on|turning on|rolled out|rolling out|introduced|switching to|moving to|migrated to) {O}",
        "Our studio adopted a new logo.",
    ),
    row(
        "it is decided that",
        Decision,
        Positive,
        r"^(?:it's|it is|that's|it has been) (?:decided|settled|final|official|agreed)(?: that)?[,:;]? {O}",
        "It's settled, the office stays in Turin.",
    ),
    row(
        "it is",
        Decision,
        Positive,
        r"^(?P<o>[^,]+?) it is$",
        "Nightly builds it is.",
    ),
    row(
        "was chosen",
        Decision,
        Positive,
        r"^(?P<o>\S.* (?:was|were|has been|have been|got) (?:chosen|picked|selected|elected|appointed)\b.*|\S+ (?:.+ )?will .+ (?:from|starting|as of|effective|beginning) (?:next|this|january|february|march|april|may|june|july|august|september|october|november|december|monday|tuesday|wednesday|thursday|friday)\b.*)$",
        "Wim was chosen as team lead.",
    ),
    row(
        "made up my mind",
        Decision,
        Positive,
        r"^(?P<o>\S.*?),? (?:(?:it's|it is|that's|this is|all) (?:settled|decided|final|official|done|agreed|approved|booked|signed)|the decision is made|(?:my|our) mind is made up|final decision|agreed|we decided|no more discussion)$",
        "The cover stays green, it's settled.",
    ),
    row(
        "starting when",
        Decision,
        Positive,
        r"^(?P<o>(?:the|our|my|all|every|each|i'm|we're|i am|we are) .+ (?:starting|from|as of|effective|beginning) (?:next|this|on|in|the|january|february|march|april|may|june|july|august|september|october|november|december|monday|tuesday|wednesday|thursday|friday|tomorrow)\b.*)$",
        "The choir rehearses on Mondays starting next month.",
    ),
    row(
        "plan of life",
        Decision,
        Positive,
        r"^(?:i|we)(?:'m| am|'re| are)? (?:plan(?:ning)? to|going to|set to|intend to|about to) (?P<o>(?:go to (?:college|university|school|grad|law|med)|get married|marry|retire|move|study|become|buy a|have a baby|adopt|start (?:a|my|our)|open (?:a|my|our)|quit|emigrate|keep)\b.*)$",
        "I plan to open a café.",
    ),
    // Habits that say how often
    row(
        "how often, behind",
        Pattern,
        Positive,
        r"^(?:i|we) (?P<o>[a-z]+(?: .*?)? {FREQ}(?:[ ,].*)?)$",
        "I sweep the porch before dinner.",
    ),
    row(
        "rather than",
        Pattern,
        Positive,
        r"^i (?P<o>(?:take|walk|ride|drive|bike|cook|eat|use|make|buy|read|write|sing|drink|wear)\b.* (?:instead of|rather than|everywhere|in the shower|by hand|from scratch)\b.*)$",
        "I take the stairs instead of the lift.",
    ),
    row(
        "to me, how often",
        Pattern,
        Positive,
        r"^(?P<o>\S.* (?:to|for) me (?:.* )?{FREQ}.*|\w+days? (?:is|are) (?:always |usually )?(?:my )?[\w -]+ (?:day|night|time)s?(?: for (?:me|us))?)$",
        "Sunday is laundry day for me.",
    ),
    row(
        "spends time",
        Pattern,
        Positive,
        r"^(?:i|we) (?P<o>spend (?:(?:all|most of|much of) )?(?:my|our|the|every|all) (?:\w+ )?(?:mornings|afternoons|evenings|nights|weekends|summers|winters|\w+days|days?|time|lunch breaks?)\b.*)$",
        "I spend most of my time in the shed.",
    ),
    row(
        "for so long",
        Pattern,
        Positive,
        r"{IVE} been (?P<o>\w+ing\b.* ?{FREQ}.*)$",
        "I've been stretching daily.",
    ),
    row(
        "others, how often",
        Pattern,
        Positive,
        r"^(?P<o>(?:(?:our|my|the) (?:\w+ )?(?:team|family|company|group|department|office|squad|band|club|lab)|my (?:\w+ )?(?:and i|routine|ritual|habit|rule|practice|custom|tradition)|\w+(?: \w+)? (?:happens?|takes place)) (?:\S+ ?)*?{FREQ}(?: .*)?)$",
        "Our choir group rehearses every Monday.",
    ),
    row(
        "routine",
        Pattern,
        Positive,
        r"^(?:(?P<o>my (?:\w+ )?(?:routine|ritual|habit|rule|practice|custom|tradition) (?:is|includes|involves|starts) .+|my (?:day|morning|week|evening|mornings) (?:starts?|begins?|ends?) (?:with|by) .+)|(?P<o2>\S.* (?:is|are) (?:the (?:first|last) thing i do|part of my \w+|my (?:daily|morning|evening|nightly|weekly) \w+)\b.*)|i(?:'m| am) in the habit of (?P<o3>.+)|i (?:have|'ve got) (?:a|the) habit of (?P<o4>.+)|i (?:make sure|make it a habit|always try) to (?P<o5>.+)|i end up (?P<o6>.+))$",
        "My ritual is a slow walk.",
    ),
    // A taste that a plain verb shows
    row(
        "exclusively",
        Preference,
        Positive,
        r"^i (?P<o>\w+ (?:(?:.+ )?(?:exclusively|solely|religiously)|(?:exclusively|only|solely) .+)(?: .*)?)$",
        "I write exclusively in ink.",
    ),
    row(
        "seeks",
        Preference,
        Positive,
        r"{I}(?:look for|seek|hunt for|go for|reach for|consider|relate to|connect with|identify with|tend towards?|lean to|aim for|opt to|strive for|buy) {O}",
        "I reach for herbal tea.",
    ),
    row(
        "new passion",
        Preference,
        Positive,
        r"{IVE}? ?(?:taken up|got into|gotten into|fallen in love with|become obsessed with|gotten hooked on|am hooked on|'m hooked on|am in love with|'m in love with|fell in love with|come to love|grown to love) {O}",
        "I've taken up archery.",
    ),
    // A life
    row(
        "life so far",
        Profile,
        Positive,
        r"^i (?P<o>(?:just turned \d+|turned \d+|went to (?:\w+ )?(?:school|college|university)|was (?:raised|born|adopted|diagnosed|brought up|named|a|an|in|on|homeschooled|married|once|the)|grew up|served|graduated|dropped out|retired|got (?:married|divorced|engaged|promoted|laid off|fired|my (?:degree|license|first))|broke my|lost (?:my|a|both) (?:\w+ )?(?:job|arm|leg|hand|finger|eye|sight|hearing|husband|wife|mother|father|mom|dad|son|daughter|brother|sister|house|home|parents|dog|cat)|won an?|survived|emigrated|immigrated|used to (?:work|live|be|play|teach|have|own|smoke|drink|do|go|sing|dance|run)|bought (?:a|an|my|our) (?:\w+ )?(?:house|home|condo|apartment|flat|car|boat|farm|truck|bike)|adopted|founded|started (?:a|my own|my) (?:business|company|band|family|charity)|quit my|published|wrote an?|married|met my|has|taught|worked (?:as|in|at|for)|studied|lived|played|majored|minored|dated|fought)\b.*)$",
        "I was raised by wolves.",
    ),
    row(
        "lives in",
        Profile,
        Positive,
        r"{IVE} (?:always |only |just |recently )*(?:lived|been living|been based|resided) in {O}",
        "I've lived in Quito since spring.",
    ),
    row(
        "life until now",
        Profile,
        Positive,
        r"{IVE} (?:always |only |also )*(?P<o>(?:lived|worked|played|studied|taught|had|owned|visited|been (?:vegan|vegetarian|gluten-free|to|married|divorced|in|a|an|with|sober|single|retired|diagnosed)|written|published|won|traveled|travelled|known|raised|lost|dated|served|gone (?:vegan|vegetarian|keto|sober|gluten|back to school))\b.*)$",
        "I've owned a kiln for years.",
    ),
    row(
        "home",
        Profile,
        Positive,
        r"^(?:home is {O}|(?P<o2>\S.* (?:lives?|stays?) with (?:me|us)\b.*))$",
        "Two parrots live with us.",
    ),
    row(
        "called",
        Profile,
        Positive,
        r"^(?:you can |you may |please |just )*(?:call me|people call me|friends call me|they call me|i go by|everyone calls me) {O}",
        "You can call me Wim.",
    ),
    row(
        "aim of life",
        Profile,
        Positive,
        r"^i(?:'m| am)? {ADV}(?P<o>(?:want(?:ed)? to (?:be|become|live|move|travel|learn|open|own|start|work|visit|go to (?:college|school)|have (?:kids|children|a family))|wish to (?:be|become)|dream(?:ing)? (?:of|about)|hop(?:e|ing) to (?:be|become|travel|open|get|retire|visit)|aspir(?:e|ing) to|training (?:to|for)|saving (?:up |money )?(?:for|to)|studying|learning|pursuing|enrolled in|expecting|raising|writing an? (?:\w+ )?(?:novel|book|memoir|thesis|dissertation|screenplay|album|blog|cookbook|play|musical)|working (?:on (?:my|a) (?:degree|phd|master|thesis|book|novel|album)|as|at|for|towards?|in|part|full)|going to (?:school|college|university|be an?)|taking (?:classes|lessons)|attending|living|renting|getting married|engaged|majoring|teaching|retiring)\b.*)$",
        "I want to become a pilot.",
    ),
    row(
        "how one looks",
        Profile,
        Positive,
        r"^(?P<o>my (?:\w+ )?(?:hair|eyes?|skin|eyesight|vision|hearing|beard|accent|voice|nose|shoe size|blood type|girlfriend|boyfriend|girlfriend's name|boyfriend's name|baby|horse|twin|star sign|zodiac sign|hours|working hours|extension|desk|locker|shift|schedule|commute|office|first name|last name|surname|nickname|middle name) (?:is|are) .+)$",
        "My hair is curly.",
    ),
    row(
        "closest family",
        Profile,
        Positive,
        r"^(?P<o>{KIN} (?:and (?:\w+ ){1,2})?(?:(?:is|are|was|were) (?:an? |from |in (?:the |an? |\w+ grade|college|school|high school)|named |called |both |\d|pregnant|married|divorced|retired|deceased|dead|deaf|blind|[a-z]+ years).*|(?:just |recently |also )?(?:lives?|lived|works?|worked|owns?|owned|runs?|served|serves|taught|teaches|started|passed|died|immigrated|emigrated|moved|grew up|was born|graduated|left|raised|met|has (?:two|three|four|a (?:son|daughter|baby)|passed)))(?:\b.*|$))$",
        "My brother lives in Cork.",
    ),
    row(
        "lasting trait",
        Profile,
        Positive,
        r"^i(?: am|'m|m) (?:also |actually |currently |very |really |quite |pretty |a bit |extremely |only |almost |about |originally |naturally |kind of |so )*(?P<o>{TRAIT}\b.*)$",
        "I'm quite tall.",
    ),
    row(
        "body and illness",
        Profile,
        Positive,
        r"^i (?:have|'ve got|have got|got|suffer from|live with|struggle with|deal with|battle)(?: been diagnosed with)? (?P<o>(?:severe |mild |chronic |bad |a mild case of |type \S+ |an? )*(?:asthma|diabetes|insomnia|migraines?|epilepsy|arthritis|adhd|add|ocd|autism|dyslexia|anxiety|depression|cancer|ptsd|tinnitus|eczema|celiac|anemia|scoliosis|allergies|\w+ (?:disorder|disease|syndrome|condition|cancer|allergy)|\w+ (?:hair|eyes?|skin|feet|foot|legs?|hands?|arms?|teeth|nails|freckles|tattoos?|blood|vision|memory|voice|toes|fingers)|(?:tattoos|freckles|dimples|dreadlocks|glasses|braces))\b.*)$",
        "I have green eyes.",
    ),
    row(
        "none of it",
        Profile,
        Negative,
        r"^(?:i|we) (?:have|own|speak|'ve got) (?:no|zero) (?P<o>(?:siblings|kids|children|pets|brothers?|sisters?|friends|family|degree|car|license|job|hair|formal|experience|religion|parents|allergies|tattoos|money|debt)\b.*)$",
        "I have no siblings.",
    ),
    row(
        "holding",
        Profile,
        Positive,
        r"^(?:i|we)(?: have|'ve| have got|'ve got| got| own) (?:got )?(?P<o>(?:(?:\w+ ){0,3}(?:kids?|children|sons?|daughters?|brothers?|sisters?|siblings?|twins|pets?|dogs?|cats?|fish|birds?|horses?|goats|chickens|rabbits?|puppy|puppies|kittens?|husband|wife|girlfriend|boyfriend|partner|fianc\S+|roommates?|friends?|grandkids|grandchildren|nephews?|nieces?|parents|family|house|apartment|farm|boat|car|truck|motorcycle|business|company|store|shop|restaurant|bakery|degree|phd|masters?|job|garden|collection|band|blog|channel|podcast|talent|phobia|accent|twin|tattoos?|piercings?)|an? \w+ (?:named|called)|an? [a-z]+ (?:of (?:my|our) own))\b.*)$",
        "I've got a parrot named Rio.",
    ),
    row(
        "life now",
        Profile,
        Positive,
        r"^(?:i|we) (?:also |currently |still |mostly |mainly |actually |really |only |both |sometimes )*(?P<o>{LIVE}(?: .*)?)$",
        "I sing in a choir.",
    ),
    // Work
    row(
        "work, wider",
        Project,
        Positive,
        r"^(?P<o>(?:the (?:\w+ ){0,3}(?:panel|dashboard|console|portal|module|gateway|proxy|vm|host|node|machine|instance|bucket|registry|network|vpn|domain|schema|table|docs|documentation|design|branch|job|cron|script|log|logs|monitor\w*|tests?) (?:is|are|runs?|uses?|lives?|has|listens?|sits?|points?)|our (?:\w+ )?(?:team|company|product|service|app|site|website|releases?|builds?|deploys?|deployments?|sprints?|stand-?ups?|retros?|api|databases?|servers?|backend|frontend|platform|customers?|clients?|pipeline|office|store|shop|project|codebase|repo|startup|demo|backups?) (?:come|comes|ship|ships|happen|happens|close|closes|opens?|live|use|run|deploy|support|supports|stores?|serves?|sells?|makes?|builds?|needs?|requires?|works?|meets?)|my (?:coworker|colleague|teammate|co-worker|lead|tech lead|cofounder|co-founder) \w+ (?:owns|leads|runs|manages|maintains|handles|is (?:in charge|responsible)))\b.+)$",
        "The admin panel runs on port 9100.",
    ),
    row(
        "work, by its place",
        Project,
        Positive,
        r"^(?P<o>(?:production|prod|staging|ci|dev|qa|sentry|jenkins|monitoring) (?:is|runs?|uses?|lives?|sits?|points?) .+)$",
        "Production runs Debian 12.",
    ),
    row(
        "who somebody is",
        Profile,
        Positive,
        r"^(?P<o>[a-z]+(?: [a-z]+)? is (?:our|my) (?:\w+ ){0,2}(?:manager|lead|designer|cto|ceo|pm|boss|accountant|doctor|dentist|landlord|teammate|owner|contact|mentor|lawyer|therapist|editor|supervisor|advisor|roommate|neighbou?r|intern|assistant))$",
        "Wim is our product designer.",
    ),
    row(
        "is not so",
        Profile,
        Negative,
        r"^i(?:'m|m| am) not (?P<o>an? (?:native|licensed|registered|certified|us|eu) .+|(?:from|married|religious|employed|tall|a citizen|a parent|a student|a developer|a programmer|an engineer|technical|athletic|artistic|a native)\b.*)$",
        "I'm not a native speaker of Dutch.",
    ),
    // The widest: any verb in the present tense that is not one of a conversation.
    row(
        "plain present",
        Profile,
        Positive,
        r"^i (?:also |currently |still |mostly |mainly |actually |really |only |both |sometimes )*(?P<o>[a-z]+ .+)$",
        "I umpire cricket matches.",
    ),
];
