//! Classes of English words that the rules share. A rule says where a class stands in a sentence; a word that is
//! missing is added here once and every rule knows it.

/// Shared pieces of the patterns by name. A piece may use the pieces that come after it.
pub(crate) const PIECES: [(&str, &str); 17] = [
    (
        "{I}",
        r"^(?:i|we|my (?:wife|husband|partner|family|team) and i) ?{ADV}",
    ),
    // "I have", before a past participle.
    ("{IVE}", r"^(?:i|we)(?:'ve|ve| have|'d| had)"),
    // Everybody in whose name a decision is told.
    (
        "{US}",
        concat!(
            r"^(?:i|we|everyone|everybody|(?:the|our|my) (?:\w+ )?(?:team|company|group|office|board|department|family|firm|studio|startup|org|squad|management|lab|school|club)|my \S+ and i)",
            r"(?:'ve|ve| have|'re|re| are|'m|m| am|'d| had|'ll| will| will be|has| has| is)? ?(?:all |both |finally |just |already |now |officially |recently |collectively |unanimously )*",
        ),
    ),
    // What is negated by a following verb.
    (
        "{NOT}",
        r"(?:do not|don't|dont|do n't|did not|didn't|can not|cannot|can't|cant|could never|never|no longer|will not|won't|wont|wouldn't|would not|would never|am not|'m not|are not|'re not|'ve never|ve never|have never|have never really|'ve never really)",
    ),
    (
        "{ADV}",
        concat!(
            r"(?:(?:really|also|just|still|always|generally|usually|typically|normally|strongly|absolutely|completely|totally|much|",
            r"personally|definitely|actually|honestly|greatly|truly|particularly|especially|now|only|exclusively|strictly|vastly|highly|",
            r"mostly|mainly|simply|kind of|kinda|sort of|firmly|intensely|deliberately|consciously|actively|primarily|often|deeply|very much|very|",
            r"instead|do|would|tend to|try to|prefer to|have always|so|too|even|specifically|solely|religiously|all|both|rather|quite|pretty|far|a bit|a little|extremely|incredibly|severely) )*",
        ),
    ),
    (
        "{AM}",
        r"(?:am|'m|m|are|'re|re|have been|'ve been|ve been|have always been|'ve always been|was)",
    ),
    // How often: what makes a deed a habit.
    (
        "{FREQ}",
        concat!(
            r"(?:(?:every|each) (?:single |other |few |second |third |\d+ |two |three |four |six )?\w+|daily|weekly|monthly|yearly|nightly|biweekly|annually|regularly|often|frequently|constantly|all the time|",
            r"most (?:of the time|days|mornings|afternoons|evenings|nights|weekends|weekdays|weeks)|(?:once|twice|(?:two|three|four|five|six|several|a few|a couple(?: of)?|\d+) times|hours?|minutes?) (?:an?|per|each|every) \w+|(?:an?|per) (?:day|week|month|night|year)|",
            r"on (?:my |the )?(?:(?:\w+ and )?(?:mondays|tuesdays|wednesdays|thursdays|fridays|saturdays|sundays|weekends|weekdays|weeknights)|(?:\w+day|weekday|weekend|\w+) (?:mornings|afternoons|evenings|nights)|commute|lunch break|days? off|way (?:to|home))|",
            r"whenever|at every|only on|in the (?:mornings?|evenings?|afternoons?|summers?|winters?)|at (?:night|dawn|dusk|sunrise|sunset|the end of (?:each|every|the) \w+)|first thing|in (?:meetings|traffic)|over (?:breakfast|lunch|dinner|coffee)|on the (?:first|last|\w+) (?:day )?of (?:the|each|every) \w+|(?:mornings|evenings|afternoons|weekends|\w+days) (?:for|to|in|at|with)|(?:before|after) \w+ing|all day|during the (?:week|day|weekend|night)|",
            r"(?:right |just |soon |shortly |only )?(?:before|after|until|by|at|around|past) (?:about |around |my |the |each |every )*(?:bed|bedtime|breakfast|lunch|dinner|supper|work|school|class|meals?|workouts?|runs?|noon|midnight|dawn|dusk|sunrise|sunset|dark|\d+|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|(?:going|heading) to (?:bed|sleep|work)|sleep(?:ing)?|i \w+)|",
            r"a lot|when(?:ever)? i(?:'m| am|'ve| get| go| feel| have| wake| need| want| code| work| travel| cook| study))",
        ),
    ),
    // Verbs of consuming and using: what one takes or leaves shows a preference.
    (
        "{TAKE}",
        r"(?:wear|eat|drink|watch|use|read|listen|buy|drive|travel|fly|stay|go|play|take|consume|purchase|shop|attend|participate|engage|visit|date|follow|book|rent|celebrate|ride|smoke|touch|support|order|choose|pick|consider|keep|own|own any|bother)",
    ),
    // Verbs of a life: said in the present tense they tell what somebody does for years.
    (
        "{LIVE}",
        concat!(
            r"(?:live|reside|sing|dance|paint|draw|sketch|sew|knit|crochet|quilt|garden|farm|fish|hunt|hike|camp|surf|ski|skate|skateboard|snowboard|swim|cycle|bike|kayak|sail|climb|box|wrestle|row|",
            r"freelance|volunteer|coach|tutor|teach|study|attend|belong to|serve|speak|wear|smoke|drink|weigh|suffer from|snore|blog|stream|collect|raise|breed|foster|grow|own|rent|lease|share|manage|lead|supervise|oversee|run (?:a|an|my|our)|",
            r"donate|vote|compete|train|practi[cs]e|perform|work|cook|bake|brew|jog|lift|meditate|journal|travel|commute|drive|ride|fly|walk|dye|color|identify|come from|look like|look after|care for|take care of|take classes|take lessons|",
            r"play|write (?:\w+ )?(?:songs|poems|poetry|books|novels|stories|music|code|lyrics|plays|fiction|blogs?|software|for|with)|can (?:speak|play|cook|sing|swim|drive|read|juggle|type|knit|sew|ski|ride|dance|draw|fly|code|touch)|make (?:\w+ ){0,2}(?:music|jewelry|jewellery|pottery|films|movies|videos|art|furniture|money|clothes|candles|soap|cheese|wine|quilts|toys|models)|",
            r"build (?:\w+ ){0,2}(?:furniture|houses|models|robots|guitars|computers|boats|apps|things)|sell (?:\w+ ){0,2}\w+s|design (?:\w+ ){0,2}\w+s|fix (?:\w+ ){0,2}\w+s|restore (?:\w+ ){0,2}\w+s|repair (?:\w+ ){0,2}\w+s|do (?:yoga|karate|pilates|crossfit|judo|gymnastics|ballet|stand-up|\w+ing|\w+ (?:work|arts?))|",
            r"go to (?:\w+ )?(?:school|college|university|church|mosque|temple|therapy|the gym)|go (?:\w+ing)|sleep|stay|spend|watch|listen to|eat|read (?:\w+ )?(?:books|novels|comics|manga|magazines|poetry|minds|tarot|a lot)|bite|hear|dream (?:of|about)|daydream|talk to|worship|pray|earn|support|use (?:a|an|my) |take (?:\w+ )?(?:pictures|photos|photographs|medication|naps|walks|baths|the (?:bus|train|subway)))",
        ),
    ),
    // What somebody does when the moment for it comes.
    (
        "{DOES}",
        r"(?:make|create|bake|brew|read|call|open|close|clean|check|review|write|turn|bring|put|add|leave|take|order|grab|squash|push|commit|test|go|eat|drink|cook|watch|listen|walk|run|swim|water|buy|meet|visit|play|practi[cs]e|stretch|draw|paint|prep|prepare|plan|do|wear|use|start|stop|sleep|ride|drive|bike|work|have|sit|stay|clear|update|log|track|write|sweep|sort|tidy|wash|iron|mop)",
    ),
    // Closest family: what they are is a fact about the user's life.
    (
        "{KIN}",
        r"my (?:(?:twin|older|younger|little|big|late|only|oldest|youngest|eldest|two|three|step|grand|ex) ?)*(?:mother|mom|mum|father|dad|parents|grandmother|grandma|grandfather|grandpa|grandparents|husband|wife|spouse|partner|fianc[eé]e?|sons?|daughters?|kids?|children|brothers?|sisters?|siblings|family|aunt|uncle)",
    ),
    // What a disliked thing does to somebody.
    (
        "{HURTS}",
        concat!(
            r"(?:(?:drains?|bugs?|irks?|repels?|exhausts?|tires?|annoys?|bothers?|bores?|irritates?|frustrates?|depress(?:es)?|scares?|disgusts?|intimidates?|overwhelms?|terrif(?:y|ies)|upsets?|distracts?|triggers?|nauseates?|kills?|frightens?|confuses?)(?: the \w+ out of)? me|(?:don't|dont|doesn't|doesnt|never|can't) (?:hold my attention|keep my interest|keep me interested|engage me)|makes? my (?:skin|eyes?|head|stomach|nose|throat|teeth) \w+|",
            r"(?:wears?|stress(?:es)?|freaks?|creeps?|weirds?|gross(?:es)?|tires?|turns?|puts?|throws?|lets?|drags?|brings?) me (?:out|off|down)|leaves? me (?:cold|\w+)|(?:get|gets) on my nerves|drives? me (?:crazy|mad|nuts|insane|up the wall)|hurts? my \w+|",
            r"(?:makes?|gives?|leaves?) me (?:feel )?(?:very |really |too |so |a |an |the |physically |extremely )*(?:sick|nauseous|queasy|anxious|uncomfortable|uneasy|nervous|headaches?|sad|angry|tired|claustrophobic|dizzy|sleepy|creeps|nightmares|anxiety|stress|ick|migraines?|chills|hives|cringe|sneeze|itch\w*|trouble|heartburn|gas))",
        ),
    ),
    // What a liked thing does to somebody.
    (
        "{HELPS}",
        concat!(
            r"(?:(?:relax(?:es)?|calms?|soothes?|fascinates?|inspires?|excites?|energi[sz]es?|thrills?|delights?|interests?|intrigues?|attracts?|suits?|comforts?|motivates?) me|(?:cheers?|lifts?) me up|calms? me down|",
            r"makes? me (?:very |really |so )*(?:happy|happier|smile|feel (?:good|great|alive|calm|calmer|better|at home|relaxed|free))|helps? me (?:to )?(?:unwind|relax|focus|concentrate|sleep|de-?stress|cope|think|recharge|stay|clear)|",
            r"(?:brings?|gives?) me (?:\w+ )?(?:joy|peace|comfort|energy|life|happiness|inspiration)|keeps? me (?:sane|going|calm|focused|grounded|motivated|fit|healthy)|speaks? to me|appeals? to me|matters? (?:a lot |a great deal |most |very much )?to me|means? (?:a lot|the world|everything|so much) to me|works? (?:best |better |well )?for me|fits? me)",
        ),
    ),
    // What is thought of a disliked thing, and of a liked one.
    (
        "{BAD}",
        concat!(
            r"(?:boring|annoying|loud|distracting|stressful|overwhelming|uncomfortable|unappealing|impractical|tedious|exhausting|confusing|unpleasant|intrusive|slow|frustrating|off-putting|dull|monotonous|disturbing|irritating|",
            r"gross|disgusting|nasty|awful|terrible|horrible|overrated|cheesy|tacky|creepy|scary|depressing|claustrophobic|nauseating|repulsive|unhealthy|difficult|hard|hard to \w+|unbearable|pointless|too \w+|a dealbreaker|a deal-breaker|a turn-off|a waste of (?:time|money)|a no-go|a chore|a source of (?:anxiety|stress|\w+ stress)|a nightmare|a hassle|a pain|a struggle|rude|tiring|grating|jarring|silly|gimmicky|unreliable|wasteful|unethical|cruel|pretentious|suffocating|draining|repetitive)",
        ),
    ),
    (
        "{GOOD}",
        concat!(
            r"(?:relaxing|calming|soothing|fascinating|productive|helpful|comfortable|convenient|useful|interesting|enjoyable|fun|easier|better|best|the best|therapeutic|engaging|effective|inspiring|rewarding|satisfying|comforting|refreshing|more \w+|a must|essential|",
            r"delicious|cozy|exciting|peaceful|practical|important|appealing|charming|beautiful|captivating|thrilling|the best \w+|the most \w+(?: \w+)?|a source of (?:joy|comfort|calm)|a joy|a delight|a pleasure|non-negotiable|everything|heaven)",
        ),
    ),
    // Lasting traits.
    (
        "{TRAIT}",
        concat!(
            r"(?:tall|short|shy|introverted|extroverted|outgoing|quiet|adopted|homeschooled|self-employed|self-taught|left-handed|right-handed|ambidextrous|overweight|skinny|blonde?|bald|red-?headed|female|male|trans|non-?binary|straight|bi|queer|asexual|",
            r"married|single|divorced|widowed|engaged|separated|vegan|vegetarian|pescatarian|retired|unemployed|employed|colou?r-?blind|deaf|blind|jewish|muslim|christian|catholic|protestant|mormon|buddhist|hindu|sikh|atheist|agnostic|religious|spiritual|gay|lesbian|bisexual|bilingual|multilingual|fluent|",
            r"diabetic|celiac|dyslexic|autistic|disabled|paralyzed|pregnant|epileptic|asthmatic|lactose|gluten|allergic|anemic|bipolar|sober|korean|american|canadian|british|english|irish|scottish|german|french|japanese|chinese|indian|mexican|italian|spanish|brazilian|russian|polish|african|asian|european|australian|",
            r"homeless|rich|wealthy|poor|clumsy|lazy|loud|athletic|artistic|creative|competitive|ambitious|adventurous|afraid|lonely|homesick|dead|immortal|famous|double jointed|double-jointed|nocturnal|patriotic|poly\w+|mixed|half|forgetful|organi[sz]ed|messy|punctual|stubborn|sensitive|good at|bad at|hard of hearing|between jobs|near-?sighted|far-?sighted|great at|terrible at|excellent at|skilled at|proficient in|certified|licensed|trained|six|five|\d+ years|\d+|twenty|thirty|forty|fifty|sixty|in (?:(?:the|an?|my|our) (?:\w+ )?(?:army|navy|military|marines|air force|band|choir|wheelchair|relationship|sorority|fraternity|union|club|guild|twenties|thirties|forties|fifties|sixties|seventies|play|\w+ grade|\w+ year)|college|school|high school|grad school|law school|med school|university|middle school|first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth)|on (?:pacific|eastern|central|utc|gmt|cet|kst))",
        ),
    ),
    ("{O}", r"(?P<o>\S.*)$"),
];
