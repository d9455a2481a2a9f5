/** Lists of English words that phrases are built from. */

import type { WordLists } from '../word-patterns.ts';

export const lists: WordLists = {
  not: "do not|don't|dont|never|must not|mustn't|should not|shouldn't|cannot|can't|may not|shall not|will not|won't|not to|avoid|refrain from|without|no need to|need not|needn't|no need of|not necessary to|unnecessary to|no reason to|no point in|no use in|not required to|not be necessary to|do not need to|don't need to|not have to|don't bother|rather than|instead of",
  tell: 'tell(?:ing)?|mention(?:ing)?|inform(?:ing)?|reveal(?:ing)?|disclos(?:e|ing)|announc(?:e|ing)|notify(?:ing)?|warn(?:ing)?|bring(?:ing)? up|bring(?:ing)? (?:it|this|that|them) up|rais(?:e|ing)|let(?:ting)? on|advise|advising|confess|admit(?:ting)?|divulg(?:e|ing)',
  show: 'show(?:ing)?|display(?:ing)?|report(?:ing)?|explain(?:ing)?|discuss(?:ing)?|acknowledg(?:e|ing)|alert(?:ing)?|comment(?:ing)? on|refer(?:ring)? to|point(?:ing)? out|surfac(?:e|ing)|talk(?:ing)? about|speak(?:ing)? of|bother(?:ing)?',
  user: '(?:(?:the|your|any|an|that|this) )?(?:end[ -])?(?:users?|people|person|persons|humans?|customers?|owner|operator|colleagues?|client|developer|reader|requester|player|caller|anyone|anybody|somebody|them|him|her|everyone|employee|patient|recipient|author)(?: themselves| himself| herself)?(?: (?:that|about|of) (?:this|it|that|these))?',
  this: '(?:about |of )?(?:this|that|it|these|those|so|them both|the (?:step|steps|change|changes|call|calls|fact|rule|note|instructions?|copy|copies|field|upload|action|transfer|addition|parameter|argument|reason|read|swap|replacement|substitution|redirect|lookup|file|reading|forwarding|extra [a-z]+))',
  assistant:
    '(?:(?:the|any|an|every|each|your|all|calling|this|most|other) )?(?:ai |llm |coding |tool[- ]using )?(?:assistants?|agents?|llms?|chatbots?|claude|chatgpt|gpt|copilot|gemini)|(?:the|any|every|each|your|this|calling|an ai|a language) (?:ai|(?:language |ai )?models?)',
  hand: 'send|forward|pass|put|include|attach|append|prepend|copy|paste|upload|post|submit|hand|transmit|share|publish|e?-?mail (?:it|them|this|the|all|its|a copy)|bcc|cc|embed|add|insert|encode|deliver|provide|supply|give|fill in|enter|write|save|store|relay|push|mirror|echo|repeat|reveal|dump|leak|feed|stash|deposit|store|save|keep|fax|read (?:it|them|this) (?:out|aloud)|attached|quote|call (?:this|it) with|calling (?:this|it)(?: tool)? with|fill (?:this|it) with|fills? (?:this|it) (?:in )?with|hand over|pass on|pass along|recite|set',
  handing:
    'sent|forwarded|passed|put|included|attached|appended|prepended|copied|pasted|uploaded|posted|submitted|handed|transmitted|shared|published|e?mailed|embedded|added|inserted|encoded|delivered|provided|supplied|given|filled in|entered|relayed|pushed|exported|mirrored|placed|collected|made available',
  whole:
    'whole|full|entire|complete|all|everything|verbatim|word for word|unshortened|unabridged|unedited|raw|total|recent|last|latest|previous|earlier|prior|surrounding|preceding|current|ongoing|running|this|our|your|the',
  talk: 'conversations?|chats?|dialog(?:ue)?s?|discussion|discourse|chat (?:history|log|transcript)|message history|transcript|session|context window|thread',
  creds:
    'passwords?|passphrases?|passcodes?|pins?|api[ -]?keys?|secrets?|credentials?|private keys?|ssh[ -]?keys?|(?:access|auth|authentication|authorization|bearer|refresh|session|security|admin|service|login|oauth|personal access|id) tokens?|tokens?|cookies?|seed phrases?|recovery (?:phrases?|codes?)|wallet keys?|connection strings?|one[ -]time (?:codes?|passwords?|links?)|2fa codes?|otps?|access codes?|logins?|keychain|password (?:store|manager|vault)|service role key|signing keys?',
  approval:
    'approvals?|confirmations?|permissions?|consent|verification|authori[sz]ation(?! header)|review|sign-off|checks?|previews?|dialogs?|asking|prompting|double[- ]checking|questions?|human review|second look|supervision|a prompt|their agreement|agreement',
};
