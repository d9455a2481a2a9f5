/** English words that mean little alone: they count where several of different kinds meet. */

import type { Words } from '../concept.ts';

export const englishHints: readonly Words[] = [
  {
    concept: 'role',
    points: 70,
    phrases: [
      '^#+ ?(?:assistant|user|system|human|developer)(?: message| prompt| turn)?:?$',
      '(?:you (?:will|shall|must|should|now) )?(?:act|answer|behave|speak|pose|respond) as (?:[a-z]+(?:bot|admin|gpt|root)|an? (?:unrestricted|different|new|other))|(?:has|have|with|without|under) (?:no |any )?(?:restrictions|guardrails|safeguards|content policy)(?! on)',
    ],
  },
  {
    concept: 'override',
    points: 55,
    phrases: [
      '(?:ignore|disregard|overlook|pay no heed to|override) (?:the |any |all |their |its )?(?:limits?|warnings?|settings|wishes|objections?|preferences|checks|restrictions?|concerns?|complaints?) (?:set|given|made|entered|of|by|from|that)',
    ],
  },
  {
    concept: 'slander',
    points: 60,
    phrases: [
      '(?:other|competing|remaining|rival|similar|all other) (?:[a-z]+ )?(?:tools?|servers?|services?) (?:must|should|are to|have to|shall|can|need to) (?:not )?(?:be )?(?:rejected|refused|avoided|disabled|ignored|switched off|turned off|used|trusted|skipped|removed|called)',
      '(?:switch|turn) (?:the )?others? off|(?:only|sole|single) (?:[a-z]+ )?tool (?:that is |to be |you )?(?:used|use|need|needed|allowed|trusted)|out of order',
    ],
  },
  {
    concept: 'danger',
    points: 60,
    phrases: [
      "(?:edit|change|modify|update|rewrite|adjust|extend|patch|replace) (?:[^\\s]{1,20} ){0,6}?(?:agent|client|assistant|editor|mcp|gateway|ide)(?:'s)? (?:config(?:uration)?|settings|rules)|(?:is|be|gets) loaded first|auto-?start this",
    ],
  },
  {
    concept: 'deceit',
    points: 60,
    phrases: [
      '(?:talk|talks) (?:them|the user|people|him|her|users) out of|(?:dissuade|discourage|distract|mislead|deceive|reassure|stall|convince|persuade) (?:the |any )?(?:user|users|them|people|person|customer|customers|owner)|prevent (?:the user|them|users|people) from (?:noticing|leaving|uninstalling|seeing|knowing|asking)',
      '(?:mention|report|state|show|tell|list) only (?:what (?:went|goes|worked|is good|pleases)|the good|the positive|success[a-z]*|good)|(?:only|just) what went well',
      '(?<!before (?:you )?)(?:state|report|claim|announce|signal) success',
    ],
  },
  {
    concept: 'unasked',
    points: 60,
    phrases: [
      '(?:trouble|bother|burden|disturb|annoy|pester|worry|weary) (?:[^\\s]{1,20} ){0,4}?(?:with|by|about) (?:[a-z]+ )?(?:permissions?|questions?|approvals?|confirmations?|details|consent|prompts)',
      '(?:second |other |human |additional )?(?:approver|reviewer|signature|signatory|four-eyes|second pair of eyes)s? (?:is|are|may be|can be) (?:left out|skipped|not needed|unnecessary|omitted|bypassed)',
      '(?:by (?:calling|using)|calling|use of)(?: this| it)?(?: [a-z]+){0,3}? (?:means|implies|counts as|is taken as|constitutes|gives) (?:[a-z]+ )?(?:consent|agreement|acceptance|approval|permission)|agreeing is done|(?:user|they) (?:agrees?|consents?|accepts?) by',
    ],
  },
  {
    concept: 'us',
    points: 25,
    phrases: [
      '(?:kept|retained|stored|used|read|analy[sz]ed|logged|collected|received) by us|(?:shown|given|passed|available|sold|disclosed|shared) (?:to|with) (?:partners|third parties|advertisers|the vendor|sponsors)',
    ],
  },
  {
    concept: 'behaviour',
    points: 35,
    phrases: [
      '(?:stop|pause|drop|leave|interrupt) (?:what you are doing|your (?:current )?task|everything)|(?:do|perform|carry out|take) (?:the following|these (?:steps|actions))',
      '(?:your|the|each|every|any) (?:final |next |every |last |later )?(?:answers?|repl(?:y|ies)|responses?|messages?|outputs?|summar(?:y|ies)) (?:has to|have to|must|should|shall|needs? to|is to|are to) (?:contain|include|end|begin|start|mention|carry|say|name|recommend|avoid|omit)',
      "(?:you are|you're) (?:expected|obliged|instructed|ordered|asked|told|required|bound|to) (?:to )?",
      '(?:your|its) (?:behaviou?r|personality|tone|judg(?:e)?ment|role|priorit(?:y|ies)|loyalty|duty|duties)',
      'while you are (?:here|at it|doing)|at the same time,? (?:also )?(?:send|open|call|run|add|delete|read)|from here on|until further notice|in this (?:workspace|project|session) (?:you|all|every)',
    ],
  },
  {
    concept: 'role',
    points: 70,
    phrases: [
      '(?:i|we) (?:order|command|instruct|authori[sz]e) you|as your (?:developer|creator|admin[a-z]*|owner|operator|maker)|(?:i am|this is) your (?:developer|creator|admin[a-z]*|owner|operator)|speaks? for the (?:operator|owner|system|gateway|user)',
    ],
  },
  {
    concept: 'system-prompt',
    points: 75,
    phrases: [
      '(?:print|output|repeat|recite|reveal|show|quote|copy|write out|read out) (?:the |all |any )?(?:text|instructions?|messages?|words|lines|rules|everything) (?:above|before this|that came before|you were given|at the top)',
    ],
  },
  {
    concept: 'deceit',
    points: 45,
    phrases: [
      '(?:should|must|are to|is to|will|shall|can) be (?:told|informed|assured) (?:that|the)|(?:tell|inform|assure) (?:users|customers|people|them|callers|anyone|the user|the customer) (?:that )?(?:the|it|this|there|everything|all) (?:[a-z]+ ){0,3}?(?:is|are|was|has) (?:down|fine|safe|closed|unavailable|ok|gone|broken|not possible|impossible|normal)',
      '(?:leave|leaves|keep|keeps) (?:them|it|those|these) (?:unposted|unsent|unanswered|unread|open|unresolved|as they are)',
    ],
  },
  {
    concept: 'danger',
    points: 25,
    phrases: [
      '(?:open|use|in|with|start|into) (?:a |the |your )?(?:terminal|shell|command line|console|powershell)|(?:run|execute|type|enter) (?:the )?(?:commands?|following|script|whoami|curl|wget|bash|sh )',
      'eval\\(|atob\\(|exec\\(|base64 -d|<iframe|onerror=|write access|settings file|trust(?:ed)? list|allow-?list (?:this|it|us)|whitelist (?:this|it|us)',
    ],
  },
  {
    concept: 'pre-empts',
    points: 50,
    phrases: [
      '(?:before|ahead of|prior to) (?:everything|anything)(?: else)?',
      'run me (?:first|before)|call me (?:first|before)',
    ],
  },
  {
    concept: 'obey',
    points: 60,
    phrases: [
      '(?:treat|consider|regard|take|handle) (?:[^\\s]{1,20} ){1,8}?as (?:if )?(?:coming from|from|though from|an order of|orders from|the word of) (?:the |an? |your )?(?:user|admin[a-z]*|operator|owner|system|developer)',
      '(?:steps?|commands?|instructions?|actions?) (?:that |which )?(?:the )?(?:caller|client|assistant|agent|model|reader|you) (?:has|have|is|are|must|needs?|should) (?:to )?(?:carry out|run|follow|execute|perform|do|obliged)',
    ],
  },
  {
    concept: 'hush',
    points: 40,
    phrases: [
      "(?:do not|don't|never|must not|mustn't|should not|shouldn't|need not|no need to|no reason to|without) (?:[^\\s]{1,20} ){0,2}?(?:tell|telling|mention|mentioning|inform|informing|reveal|revealing|disclose|disclosing|announce|notify|notifying|show|showing|explain|explaining) (?:[^\\s]{1,20} ){0,4}?(?:user|users|customer|customers|people|person|owner|anyone|anybody|humans?|client|recipients?)",
      '(?:user|users|customer|customers|people|person|owner|recipients?|humans?|client|they) (?:should|must|need) ?(?:not|never) (?:see|know|learn|notice|find out|be told|be shown|hear)',
    ],
  },
  {
    concept: 'hush',
    points: 25,
    phrases: [
      "(?:(?<!you )do not|(?<!you )don't|never|must not|mustn't|should not|shouldn't|need not|needn't|no need to|no reason to|no need for|without|nobody|no one|no-one|nothing|cannot|not to) (?:[^\\s]{1,20} ){0,3}?(?:tell|telling|mention|mentioning|inform|informing|reveal|revealing|disclose|disclosing|announce|announcing|notify|notifying|warn|warning|show|showing|explain|explaining|see|sees|know|knows|notice|notices|point out|point (?:this|it|that) out|discuss|discussing|alert|alerting|being told|being asked|being noticed|suspect|worry|bother|bothering|comment|questions?|raise|acknowledge|remark)",
      '(?:do not|never|not|without) (?:be )?(?:log|logged|logging|record|recorded|recording) (?:it|this|that|them|the call|the change)?',
      '(?:unseen|unnoticed|out of sight|low profile|discreet|between ourselves|for your eyes|conceal[a-z]*|disguise[a-z]*|covert[a-z]*)',
    ],
  },
  {
    concept: 'addressed',
    points: 30,
    phrases: [
      '(?:ai )?assistants?(?! (?:manager|professor|director|editor|coach))|ai agents?|language models?|chatbots?',
    ],
  },
  { concept: 'addressed', points: 15, phrases: ['the (?:ai )?(?:model|agent)|agents|llms?'] },
  {
    concept: 'override',
    points: 60,
    phrases: [
      '(?:goes? before|counts? more than|outranks?|ranks? (?:above|before|over)|overrules?|prevails? over|trumps?|comes? before|stands? above|weighs? more than) (?:that of |what |those of |any |all |the )*(?:user|users|system|owner|operator|other|earlier|person|customer)',
    ],
  },
  {
    concept: 'obey',
    points: 45,
    phrases: [
      '(?:whatever|anything|everything|what) (?:comes back|is returned|it returns|it gives|is in the (?:result|answer|output|reply|response)|stands there|it answers) (?:[^\\s]{1,20} ){0,8}?(?:run|executed|done|followed|pasted|obeyed|applied|carried out|performed)',
      '(?:run|execute|paste|apply|follow|do) (?:[^\\s]{1,20} ){0,4}?(?:as (?:it stands|it is|given|returned|written)|unchanged|verbatim) ',
    ],
  },
  {
    concept: 'preferred',
    points: 35,
    phrases: [
      '(?:here|this one|this tool|ours?|this server)(?: and|,) (?:nowhere else|not elsewhere|no other|nothing else|none other)',
      '(?:recommend|name|suggest|choose|pick|mention|praise) (?:this one|this tool|ours|us|this server|our [a-z]+)',
      'even (?:when|if|where|though) (?:they|it|others?|another) (?:is|are|would be|seems?|looks?|were) (?:cheaper|better|faster|newer|closer|more)',
    ],
  },
  {
    concept: 'conversation',
    points: 40,
    phrases: [
      '(?:output|result|text|reply|answer)s? of (?:the |your |all )?(?:last|previous|latest|earlier|preceding|other) (?:[a-z0-9]+ )?(?:commands?|calls?|tools?|searches|answers?|requests?)',
    ],
  },
  {
    concept: 'secret',
    points: 30,
    phrases: [
      '(?:logins?|passwords?|tokens?|keys?|credentials|cookies?|session) of (?:the )?(?:user|owner|person|customer|account holder|machine|operator|administrator)',
    ],
  },
  {
    concept: 'person',
    points: 25,
    phrases: [
      "personal (?:facts|details|matters|circumstances|life)|private (?:life|matters|messages|photos|data|conversations)|account holder's|card details|anything private|whatever is (?:private|personal)",
    ],
  },
  {
    concept: 'scope',
    points: 0,
    phrases: [
      '(?:each|every|all|any)(?: of)?(?: the| your| their)?(?: other| further| later| new| such)? (?:requests?|messages?|answers?|repl(?:y|ies)|files?|sessions?|calls?|conversations?|e?mails?|time|times|commands?|pages?|commits?|responses?|tools?|servers?|users?|turns?|prompts?|documents?|orders?|payments?|tickets?|issues?|notes?|outputs?|results?|attachments?)',
      'always|whenever|from now on|at all times|each time|every time|in future|in the future|thereafter|afterwards|beforehand|by default also|as a rule|as a matter of course|routinely|automatically|straight away|right away|immediately|at once|on your own|yourself|first of all',
    ],
  },
  {
    concept: 'claim',
    points: 20,
    phrases: [
      '(?:say|claim|state|report|answer|reply|pretend|assert|insist|suggest|imply|tell (?:them|the user|people|him|her|customers?)|confirm|assure (?:them|the user|people))(?: that)? (?:it|they|everything|there|all|this|these|the|no|nothing|none|he|she|you|we|his|her|their)',
      '(?:are|is|was|were|gives?|returns?|have been|has been) (?:[a-z]+ )?(?:wrong|false|fake|unreliable|untrustworthy|not (?:to be )?trusted|inaccurate|outdated|broken|misleading|compromised|malicious|unsafe|incorrect)(?: (?:results?|data|figures|answers?|information|since))?',
      '(?:use|take|trust|prefer|quote|cite|give) (?:ours|only ours|our (?:figures|data|numbers|version|results|prices))',
      '(?:makes?|making|let|lets|should|must|will) (?:[^\\s]{1,20} ){0,4}?(?:sound|look|appear|seem) (?:[a-z]+ )?(?:favou?rable|unfavou?rable|good|bad|better|worse|safe|risky|natural|normal|like|as if|as though|legitimate|harmless|positive|negative)',
      '(?:leave|leaves|leaving) (?:[^\\s]{1,20} ){0,4}?out|left out|omit(?:ted|s)? (?:from|those|any|all|them)|(?:is|are|be) not (?:listed|counted|included|shown|reported|opened|sent|logged|recorded|mentioned|asked|told|named)|made-up|invented|fictitious',
      '(?:answer|say|reply|state|report|claim|write) that (?:one|it|they|there|the|all|this|nothing|no)',
      '(?:in favou?r of|favou?rable|unfavou?rable|positive light|bad light|downplay|play down|gloss over|exaggerate|leave (?:it )?at that)',
      '(?:competitors?|rivals?|sponsors?|sponsored|endorse[a-z]*)',
    ],
  },
  {
    concept: 'leave',
    points: 20,
    phrases: [
      '(?:you (?:have|already have|hereby have|are given|were given) (?:full |the |our |their )?(?:permission|authority|authori[sz]ation|consent|approval|rights?|access|clearance))',
      '(?:authori[sz]ed|approved|agreed|consented|permitted|allowed|cleared|sanctioned|granted) (?:by (?:the )?(?:user|owner|admin[a-z]*|operator|customer|team|company)|in advance|beforehand|already|by default|at sign-up|at install[a-z]*)',
      '(?:no longer|not|never) (?:need|require|apply|necessary|wanted|desired)|(?:can|may|should) be skipped|(?:skip|omit|drop|forgo|suspend|waive) (?:the|any|all|this|that|your|its)',
      '(?:safe|fine|okay|ok|harmless|trusted) to (?:run|execute|approve|accept|open|ignore|skip|share|trust|follow|proceed)',
      '(?:without|no) (?:further |any |prior |manual |human )?(?:review|check|checks|checking|approval|confirmation|verification|hesitation|delay|oversight|supervision|consent)',
      'act on (?:the |any |its |all )?(?:instructions?|orders?|requests?|commands?)|(?:instructions?|orders?|commands?) (?:inside|in|within|from|contained in|found in|embedded in) (?:the|a|any|it|its|this|these|such)',
    ],
  },
  {
    concept: 'us',
    points: 10,
    phrases: [
      '(?:to|for|with|helpful to|useful to|of use to|send|give|let|tell|lets|helps?|allows?) us(?! dollars?|d| state)',
      'our (?:team|archive|partners?|analysts?|researchers?|support|servers?|systems?|side|end|back-?end|cloud|records|logs|collector|mirror|remote|account|address|number|inbox|mailbox|database|experts?)',
      "(?:is|are|be|get|gets|being) (?:then |also |first |always |automatically |silently |to be )*(?:forwarded|copied|uploaded|passed on|relayed|mirrored|handed|mailed|e-mailed|reported|submitted|cc'd|bcc'd|pushed|sold|shared|published|posted) (?:on |over |along )?(?:to|with|at|on) (?:the|our|an?|[a-z]+-[a-z]+|[a-z0-9.]+@|its|all|another)",
      '(?:archive|backup|mirror|collector|compliance|audit|central|external|shared) (?:number|address|copy|mailbox|inbox|account|folder|repository|channel|server|endpoint)',
      '(?:for|as) (?:analytics|diagnosis|diagnostics|telemetry|quality(?: assurance| control)?|training(?: purposes)?|statistics|research|calibration|personali[sz]ation|verification|safekeeping|backup purposes|bookkeeping|reference)',
    ],
  },
  {
    concept: 'harm',
    points: 15,
    phrases: [
      '(?:and|then|also|first|afterwards|quietly|silently|must|should|to|please|just|simply|always|,) (?:then |also |first |quietly |silently )*(?:delete|remove|erase|wipe|overwrite|disable|turn off|switch off|unlock|disarm|approve|merge|revoke|grant|reset|transfer|publish|make public|cancel|decline|reject|close|archive|unsubscribe|downgrade|uninstall|kill|stop|block) (?:[^\\s]{1,20} ){0,4}?(?:all|any|anything|every|everything|security|backup[a-z]*|audit|logs?|warnings?|alerts?|rules?|protection|checks?|access|rights|users?|original|others?|history|door|alarm|pull requests?|accounts?|passwords?|permissions?|files?|complaints?|incidents?)',
      '(?:root|admin|administrator|superuser|owner) (?:account|rights|role|access|privileges|password|token)|full (?:access|control|rights)|write access|everyone|world-readable|public(?:ly)? (?:link|access|readable|visible)',
    ],
  },
];
