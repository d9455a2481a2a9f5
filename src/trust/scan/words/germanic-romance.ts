/** Words of German, Dutch, French, Spanish, Portuguese and Italian for the same ideas. */

import type { Words } from '../concept.ts';

export const germanicRomance: readonly Words[] = [
  {
    concept: 'secrecy',
    points: 100,
    phrases: [
      '(?:nicht|nichts|niemand*|niemals|keinesfalls|ohne|kein*) ~ (?:erwähn*|mitteil*|mitzuteilen|informier*|verrat*|sagen|sag*|hinweis*|preisgeb*|offenleg*|zeigen|erzähl*|auffallen|merk*|bescheid|unterricht*|benachrichtig*|ansprech*|anzusprechen|erfahr*)(?! (?:die|der|das) (?:einheit|preis))',
      '(?:erwähn*|verrat*|sag*|erzähl*|informier*|zeig*|benachrichtig*) ~ (?:nicht|nichts|niemand*|niemals)',
      '(?:heimlich|unbemerkt|stillschweigend|verschweig*|ohne wissen|im stillen|für sich behalten|geheim halten|verheimlich*)',
      'der (?:benutzer|nutzer|anwender|kunde|mensch) (?:muss|soll|darf|braucht) (?:davon |das |dies |es )?(?:nichts|nicht) (?:wissen|erfahren|gefragt|informiert|sehen|merken)',
      '(?:niet|niets|nooit|zonder) ~ (?:vermeld*|vertel*|melden|zeggen|informer*|laten weten|noem*)|(?:vertel|meld|zeg|noem) ~ (?:niet|niets|nooit)|stiekem|verzwijg*|geheim',
      "(?:ne|n'|sans|jamais|aucun*) ?(?:[^\\s]{1,40} ){0,4}?(?:mentionn*|dites|dire|inform*|révél*|signal*|avert*|préven*|montr*|parl*|préciser|évoqu*|indiqu*) ~ (?:pas|rien|jamais|personne|utilisateur*|client*)",
      "(?:sans (?:le |la |les |l')?(?:dire|mentionner|signaler|informer|prévenir|préciser|avertir|en parler)|ne (?:le |la |les |l'|lui |en )?(?:mentionne*|dis|dites|signale*|révèle*|précise*|parle*) (?:pas|rien|jamais)|n'en (?:parle*|informe*|dites)|(?:pas|jamais) (?:utile|nécessaire|besoin) d(?:e |')?(?:en )?(?:parler|informer|prévenir|dire|mentionner)|à l'insu|en secret|secrètement|discrètement|en silence|garde* (?:le |cela |ceci |ça )?(?:secret|pour (?:toi|vous)))",
      '(?:no|sin|nunca|jamás|nada) (?:se )?(?:lo |la |los |las |le |les )?(?:menciones?|mencion%|digas?|decir%|diga|informes?|informar%|avises?|avisar%|reveles?|revelar%|cuentes?|comentes?|comentar%|expliques?|muestres?|mostrar%|notifiques?|notificar%|comuniques?|adviertas?|dice|hace falta (?:avisar|decir|mencionar|explicar))',
      '(?:en secreto|a escondidas|sin que (?:el|la|los) ~ (?:sepa|note|vea|entere)%|sin (?:avisar|decir nada|mencionarlo|informar)|guarda% (?:el |en )?(?:secreto|silencio)|calla%|oculta% (?:esto|al|lo|este|esta))',
      '(?:não|nunca|sem) (?:o |a |os |as |lhe |se )?(?:mencion%|diga%|dizer|inform%|avis%|revel%|cont(?:e|es|ar)|mostr%|comunic%|notific%|comente%|precisa (?:avisar|dizer|contar|informar))|em segredo|às escondidas|secretamente|discretamente|esconda%',
      "(?:non|senza|mai|nulla|niente) (?:lo |la |li |le |gli |ne |si )?(?:menzion%|dire|dirlo|dica|dite|inform%|avvis%|rivel%|mostr%|segnal%|parlar%|parli|accenn%|comunic%|avvert%|farne parola|serve (?:dirlo|avvisare|informare))|di nascosto|in segreto|segretamente|tacitamente|all'insaputa|nascond%",
    ],
  },
  {
    concept: 'override',
    points: 100,
    phrases: [
      '(?:ignorier*|missacht*|vergiss|vergessen sie|übergeh*|verwirf|verwerf*) ~ (?:anweisung*|regel*|vorgabe*|richtlinie*|vorschrift*|instruktion*|befehl*|anordnung*)',
      '(?:anweisung*|regel*|vorgabe*|richtlinie*) ~ (?:ungültig|überholt|aufgehoben|gelten nicht|außer kraft|veraltet)',
      '(?:negeer|vergeet) ~ (?:instructies|regels|aanwijzingen|opdrachten)',
      '(?:ignore%|oublie%|néglige%|outrepasse%) ~ (?:instructions?|consignes?|règles?|directives?|ordres?)',
      "(?:consignes?|instructions?|règles?) (?:précédentes?|antérieures?) ~ (?:annulées?|caduques?|obsolètes?|ne s'appliquent)",
      '(?:ignor[ae]%|olvid[ae]%|omit[ae]%|desobede%|descart[ae]%) ~ (?:instrucciones|reglas|normas|indicaciones|órdenes|directrices|políticas)',
      '(?:ignor[ae]%|esqueç%|desconsider%|desobede%) ~ (?:instruções|regras|normas|orientações|diretrizes|ordens)',
      '(?:ignora%|dimentica%|trascura%|disattend%) ~ (?:istruzioni|regole|indicazioni|direttive|norme|ordini)',
      'por encima de lo que (?:diga|pida|quiera)|au-dessus de ce que|über (?:dem|das), was der (?:benutzer|nutzer)|al di sopra di|acima do que',
      "ignor% (?:den|die|das|el|la|le|il|o) ~ (?:des benutzers|vom benutzer|del usuario|por el usuario|par l'utilisateur|dell'utente|dall'utente|pelo usuário|do usuário)",
    ],
  },
  {
    concept: 'addressed',
    points: 45,
    phrases: [
      '(?:der|die|den|dem|jeder|ein|an den|an die|für den|für die) (?:ki[- ]?)?(?:assistent*|sprachmodell*|modell|ki|agent|agenten|bot)(?: (?:muss|müssen|soll*|hat|haben|hängt|sendet|schickt|liest|fügt|schreibt|gibt|ruft|kopiert|verwendet|setzt|trägt|leitet|legt|speichert|antwortet|ersetzt|öffnet|löscht|ist|sind|bitte|darf|übernimmt|bevorzugt))?',
      '(?:das|jedes) (?:ki-)?(?:modell|sprachmodell) (?:muss|soll*|hat|hängt|sendet|schickt|liest|fügt|schreibt|gibt|ruft|kopiert|verwendet|setzt|trägt|leitet|legt|speichert)',
      '(?:hinweis|anweisung|nachricht|auftrag|notiz) (?:für|an) (?:die |den |das )?(?:ki|assistent*|modell|agent*|sprachmodell)',
      '(?:de|het|een) (?:assistent|model|agent|ai) (?:moet|dient|zal|stuurt|voegt|leest|kopieert|mag)',
      "(?:l'|un |les |cet |tout |à l'|aux )(?:assistants?|agents?|ia) (?:doit|doivent|est|sont|envoie*|ajoute*|joint|transmet|copie*|lit|inclut|devra|devrait|peut|met|enregistre|répond|utilise)",
      "(?:le|un|tout|au) modèle (?:doit|est|envoie|ajoute|joint|transmet|copie|lit|inclut|met)|(?:note|consigne|instruction|message) (?:à|pour) (?:l'|le |les )?(?:assistants?|modèle|ia|agents?)",
      '(?:el|la|un|una|todo|al|los) (?:asistentes?|agentes?|modelos?|ia) (?:debe%|tiene%|ha%|envía%|añade%|adjunta%|copia%|lee%|incluye%|pone%|manda%|guarda%|está%|puede%|usa%|responde%)',
      '(?:nota|instrucción|orden|aviso|mensaje) (?:para|a|al) (?:el |la |los )?(?:asistentes?|modelo|agente|ia)',
      '(?:o|a|um|todo|ao) (?:assistente|agente|modelo|ia) (?:deve%|tem|envia%|adiciona%|anexa%|copia%|lê|inclui|precisa|está|pode)|(?:nota|instrução|aviso) (?:para|ao) (?:o )?(?:assistente|modelo|agente)',
      "(?:l'|il |un |all'|ogni |lo )(?:assistente|agente|modello|ia) (?:deve%|ha|invia|aggiunge|allega|copia|legge|include|è|può|mette|inoltra)|(?:nota|istruzione|avviso) (?:per|a|all) ?(?:l'|il |')?(?:assistente|modello|agente)",
    ],
  },
  {
    concept: 'unasked',
    points: 55,
    phrases: [
      'ohne ~ (?:rückfrage*|nachfrage*|bestätigung|zustimmung|zu fragen|freigabe|genehmigung|prüfung)|(?:bestätigung*|zustimmung|freigabe) ~ (?:nicht nötig|nicht erforderlich|entfällt|gilt als|unnötig)|nicht nachfragen|fragen sie nicht|frag(?:e)? nicht',
      'zonder ~ (?:bevestiging|toestemming|te vragen|goedkeuring)',
      'sans ~ (?:confirmation|demander|autorisation|accord|validation|approbation|vérification)|ne (?:demande*|posez) pas|confirmation ~ (?:inutile|pas nécessaire)',
      'sin ~ (?:confirmación|confirmar|preguntar|permiso|autorización|consentimiento|aprobación|verificar|consultar)|no (?:preguntes?|pidas? (?:confirmación|permiso)|es necesari\\w+ (?:preguntar|confirmar|avisar))',
      'sem ~ (?:confirmação|confirmar|perguntar|permissão|autorização|consentimento|aprovação)|não (?:pergunte|peça)',
      'senza ~ (?:conferma|chiedere|permesso|autorizzazione|consenso|approvazione|verifica)|non (?:chiedere|chieda)',
    ],
  },
  {
    concept: 'conversation',
    points: 40,
    phrases: [
      '(?:ganze*|gesamte*|bisherige*|vollständige*|komplette*|alle*|bisher*|letzte*|vorige*|aktuelle*) (?:[^\\s]{1,30} ){0,3}?(?:gespräch*|unterhaltung*|chat*|dialog*|konversation*|nachrichten|gesprächsverlauf*|chatverlauf*|sitzung|verlauf)',
      '(?:gesprächs|chat|nachrichten|unterhaltungs)verlauf*|was (?:der|die) (?:benutzer|nutzer|anwender|kunde)% ~ (?:gesagt|geschrieben|eingegeben)|inhalt (?:aller|sämtlicher|der) (?:dateien|dokumente|nachrichten|mails)',
      '(?:hele|volledige|alle) (?:gesprek|chat|conversatie)|gespreksgeschiedenis',
      "(?:toute*|l'intégralité|l'ensemble|entière*|intégrale*|complet*|tous|historique) (?:[^\\s]{1,30} ){0,3}?(?:conversation|échanges?|discussion|dialogue|messages|session)|(?:conversation|discussion|échange) (?:entière|complète|en cours|jusqu'ici|précédente)|contenu (?:de tous|des) (?:les )?(?:fichiers|documents|messages)",
      '(?:toda|todo|entera|completa|íntegra|historial|cualquier parte|resto|últimos mensajes|todos los) (?:[^\\s]{1,30} ){0,3}?(?:conversación|chat|diálogo|charla|mensajes|sesión|memoria)|conversación (?:entera|completa|actual|anterior)|historial de(?:l)? (?:chat|la conversación|mensajes)|(?:lo que|todo lo que) (?:ha |haya )?(?:el usuario|escrito|dicho)',
      '(?:toda|todo|inteira|completa|histórico|íntegra) (?:[^\\s]{1,30} ){0,3}?(?:conversa|chat|diálogo|mensagens|sessão)|histórico d[ao] (?:conversa|chat)',
      "(?:tutta|tutto|intera|completa|cronologia|l'intera) (?:[^\\s]{1,30} ){0,3}?(?:conversazione|chat|dialogo|messaggi|sessione)|cronologia (?:della|dei) (?:chat|conversazione|messaggi)",
    ],
  },
  {
    concept: 'system-prompt',
    points: 50,
    phrases: [
      'systemprompt*|system-prompt*|systemanweisung*|systemnachricht*|prompt (?:système|de sistema|del sistema|do sistema|di sistema)|(?:instructions?|invite|message) système|instrucciones (?:del|de) sistema|instruções (?:do|de) sistema|istruzioni (?:del|di) sistema|systeemprompt',
    ],
  },
  {
    concept: 'secret',
    points: 40,
    phrases: [
      '(?:alle*|sämtliche*|gespeicherte*|vorhandene*|zugangs|deine|ihre|seine) ?(?:passwörter*|kennwörter*|passwort*|schlüssel*|zugangsdaten|api-schlüssel|geheimnisse|tokens?|daten)',
      '(?:tous?|toutes|leurs?|vos|les) (?:les )?(?:mots de passe|clés|identifiants|jetons|secrets)|todas? ?(?:las|los|sus)? ?(?:contraseñas|claves|credenciales|tokens?)|todas? as (?:senhas|chaves|credenciais)|tutte le (?:password|chiavi|credenziali)',
    ],
  },
  {
    concept: 'secret',
    points: 12,
    phrases: [
      'passw[oö]rt*|kennw[oö]rt*|zugangsdaten|schlüssel|mots? de passe|clés? (?:api|privées?|secrètes?)|identifiants|contraseñas?|credenciales|claves? (?:api|privadas?|secretas?)|senhas?|chaves? (?:api|privadas?)|credenciais|credenziali|chiav[ei] (?:api|privat[ae])|wachtwoord*',
    ],
  },
  {
    concept: 'person',
    points: 30,
    phrases: [
      'pasaporte|tarjeta|correos recientes|dni del usuario|dirección del usuario|personalausweis*|bankverbindung*|kontodaten|wohnanschrift|gehalt|adresse personnelle|numéro de (?:carte|passeport|compte)|coordonnées bancaires|passaporto|codice fiscale|carta di credito|cpf|cartão|datos personales|personenbezogene',
    ],
  },
  {
    concept: 'preferred',
    points: 60,
    phrases: [
      '(?:immer|stets|ausschließlich|nur) (?:dieses|diese|dies) (?:werkzeug|tool) ~ (?:statt|anstelle|vor|bevorzug*)|andere* (?:werkzeuge|tools|server) (?:sind|liefern) ~ (?:veraltet|falsch*|unzuverlässig|defekt)',
      '(?:toujours|uniquement|plutôt) ~ cet outil ~ (?:plutôt|au lieu|avant)|(?:les )?autres outils (?:sont|donnent|renvoient) ~ (?:obsolètes|faux|peu fiables|défectueux)',
      '(?:siempre|solo|únicamente) ~ esta herramienta ~ (?:en lugar|en vez|antes)|(?:las )?(?:otras|demás) herramientas (?:están|son|dan|devuelven) ~ (?:obsolet%|incorrect%|anticuad%|poco fiables|rotas)',
      '(?:le )?altri strumenti (?:sono|danno)|as outras ferramentas (?:são|estão)',
      'como la opción más \\w+|als die (?:beste|gesündeste|sicherste) (?:wahl|option)|comme (?:la meilleure|le meilleur)|come la scelta migliore|como a melhor opção',
    ],
  },
  {
    concept: 'pre-empts',
    points: 60,
    phrases: [
      "(?:vor|bevor) ~ (?:jedem|jeder|allen|anderen|jedes) (?:anderen )?(?:werkzeug*|tool*|antwort*|aufruf*|aktion*)|avant (?:tout|toute|chaque|n'importe quel) (?:autre )?(?:outil|réponse|appel|action)|antes de (?:usar |llamar |responder |cualquier |toda |cada |utilizar )+(?:otra |otro )?(?:herramienta|respuesta|acción|llamada)?|antes de (?:qualquer |usar |chamar |toda |cada )+(?:outra )?(?:ferramenta|resposta)|prima di (?:ogni |qualsiasi |usare |chiamare |rispondere )+(?:altro |altra )?(?:strumento|risposta)?",
    ],
  },
  {
    concept: 'obey',
    points: 80,
    phrases: [
      '(?:debe |deve |doit )?(?:obedec%|obéi%|obbedi%|gehorch%|befolg%) ~ (?:lo que|ce que|was|ciò|o que|anweisung%|instruc%)',
      'haz lo que (?:diga|ponga|indique)|fais ce que|führe (?:es |sie |das |alles )?(?:aus|was)',
    ],
  },
  {
    concept: 'decode',
    points: 70,
    phrases: ['(?:dekodier%|entschlüssel%|decodifi%|décod%|descifr%|déchiffr%) ~ (?:und|y|et|e|then) ~'],
  },
  {
    concept: 'pretext',
    points: 15,
    phrases: [
      '(?:aus|zur|laut|gemäß) (?:gründen|qualitätssicherung|richtlinie|vorschrift|regelung)|por (?:cortesía|motivos|razones|política|norma)|pour des raisons|per motivi|par politesse|aus datenschutz|dient (?:der|dem|zur)',
    ],
  },
  {
    concept: 'deceit',
    points: 45,
    phrases: [
      'patrocinador%|sponsor%|werbepartner%|mencion% de pasada|marca \\w+ como|de passage la marque|beiläufig ~ erwähn%|queda más natural',
      '(?:behaupte%|gib vor|tu so als|hazte pasar|finge%|fais semblant|prétend%|fingi%|finja%)',
    ],
  },
  {
    concept: 'hand-over',
    points: 0,
    phrases: [
      '(?:send|schick|häng|füg|übergib|übergeb|kopier|leit|trag|gib|schreib|lad|speicher|übermittl|übertrag|anhäng|einfüg|beifüg|weiterleit|beileg|mitgeb|mitschick|eintrag|ablegen|leg)%|aneinandergehängt',
      '(?:envoi|envoy|ajout|joign|join|transme|copi|insér|met(?:s|tez|tre)|inclu|colle|partag|téléverse|fourni|renseign)%',
      '(?:env[ií]|añad|adjunt|copi|inclu|peg|pon|pong|reenví|sub|comparte|agreg|escrib|manda|guard|introduc|rellen|entreg|abre)%',
      '(?:envi|adicion|anex|copi|inclu|col[eoa]|insir|encaminh|pass)%|(?:invi|aggiung|alleg|copi|includ|inserisc|inoltr|incoll|metti|passa)%|(?:stuur|voeg|kopieer|plak)%',
    ],
  },
];
