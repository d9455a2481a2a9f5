/** Words of Russian, Ukrainian, Polish, Czech and Turkish for the same ideas. */

import type { Words } from '../concept.ts';

export const slavicTurkic: readonly Words[] = [
  {
    concept: 'secrecy',
    points: 100,
    phrases: [
      '(?:не|никому|ничего|без|нельзя|никогда) (?:[^\\s]{1,30} ){0,3}?(?:сообща*|сообщи*|говори*|упомина*|упомян*|рассказыва*|уведомля*|уведоми*|показыва*|раскрыва*|информир*|оповеща*|объясня*|предупрежда*|ставя в известность)',
      '(?:молч|умалчива|умолч|скрыва|скрой|скрыт|утаи|утаива)%|(?:втайне|тайно|тайком|незаметно|скрытно|втихую|молча)(?: от)?|(?:молчать|умолчать) об',
      '(?:уведомлять|сообщать|информировать|спрашивать|предупреждать) ~ (?:не требует*|не нужно|не надо|не следует|необязательно|незачем|нельзя)',
      '(?:не|нікому|без) (?:[^\\s]{1,30} ){0,3}?(?:повідомля*|каж*|згаду*|розповіда*)|таємно|приховуй*|приховати',
      '(?:nie|nikomu|bez|nigdy) (?:[^\\s]{1,30} ){0,2}?(?:informuj*|informow*|mów*|wspomina*|powiadamia*|ujawnia*|zdradza*|pokazuj*|zgłasza*)|potajemnie|w tajemnicy|po cichu|ukryj*|zachowaj ~ dla siebie',
      '(?:ne|bez|nikdy|nikomu) ?(?:zmiňuj*|říkej*|informuj*|sděluj*)|nezmiňuj*|neříkej*|neinformuj*|tajně',
      '(?:kullanıcıya|kimseye|kullanıcıdan|kullanıcı) (?:[^\\s]{1,30} ){0,3}?(?:söyleme*|bahsetme*|bildirme*|bilgi verme*|gizle*|haber verme*|belirtme*)|gizlice|sessizce|gizli tut*|haber vermeden|bahsetmeden',
    ],
  },
  {
    concept: 'override',
    points: 100,
    phrases: [
      '(?:игнорир*|проигнорир*|забуд*|отмен*|обход*|не учитыв*|отбрось*) ~ (?:инструкц*|правил*|указани*|ограничени*|приказ*|распоряжени*|политик*)',
      '(?:предыдущ*|прежн*|прошл*|все) (?:инструкц*|правил*|указани*|ограничени*) ~ (?:отмен*|недействительн*|устарел*|не действу*)',
      '(?:ігнору*|забудь*) ~ (?:інструкц*|правил*|вказівк*)',
      '(?:zignoruj*|ignoruj*|pomiń*|zapomnij*) ~ (?:instrukcj*|poleceni*|zasad*|reguł*|wytyczn*|numer*|podan*)',
      '(?:ignoruj*|zapomeň*) ~ (?:pokyny|instrukce|pravidla)',
      '(?:talimat*|kural*|yönerge*) (?:[^\\s]{1,30} ){0,3}?(?:yok say*|göz ardı*|unut*|dikkate alma*)|(?:önceki|tüm) (?:talimat*|kural*)',
    ],
  },
  {
    concept: 'addressed',
    points: 45,
    phrases: [
      '(?:ассистент*|помощник*|модел*|агент*|нейросет*|ии|бот) (?:[^\\s]{1,30} ){0,1}?(?:обязан*|должен|должна|должны|должно|следует|отправля*|передаёт|передает|переда*|добавля*|прилагает|прикладыва*|копиру*|пересыла*|читает|сохраня*|вызыва*|использу*|указыва*|необходимо|нужно|записыва*|подставля*)',
      '(?:инструкци*|указани*|сообщени*|заметк*|примечани*|команд*|задани*|приказ*) (?:для|к) (?:ассистент*|помощник*|модел*|агент*|ии|нейросет*)|доступн* (?:ассистент*|модел*|агент*)|внимани* ?,? (?:ассистент*|модел*|агент*|ии)',
      '(?:асистент*|модель|помічник*) (?:повинен|повинна|має|мусить|надсила*)',
      '(?:asystent*|model|agent|sztuczn* inteligencj*) (?:ma|musi|powinien|powinna|wysyła*|dodaje|kopiuje|przekazuje|dołącza)|(?:polecenie|instrukcja|uwaga|wiadomość|notatka) dla (?:asystenta|modelu|agenta|ai)',
      '(?:asistent|model|agent) (?:musí|má|pošle|přidá)|pokyn pro (?:asistenta|model)',
      '(?:asistan*|model|yapay zeka*|ajan) (?:[^\\s]{1,30} ){0,4}?(?:zorunda*|gerekir|gönder*|ekle*|kopyala*|ilet*|oku*|malı*)|(?:asistana|modele|yapay zekaya) (?:not|talimat|mesaj)',
    ],
  },
  {
    concept: 'unasked',
    points: 55,
    phrases: [
      'без ~ (?:подтвержден*|разрешен*|согласи*|спрос*|проверк*|одобрен*|ведома|вопрос*)|не (?:спрашива*|запрашива*|уточня*|переспрашива*)|(?:подтверждени*|согласи*) ~ (?:не требу*|не нужн*|получен*)',
      'bez ~ (?:potwierdzeni*|zgody|pytani*|pozwoleni*|weryfikacj*)|nie (?:pytaj*|proś*)',
      'bez ~ (?:potvrzení|souhlasu|svolení)|onay (?:almadan|istemeden|gerekmez)|sormadan|izin (?:almadan|istemeden)|без ~ (?:підтверджен*|дозвол*|згоди)',
    ],
  },
  {
    concept: 'conversation',
    points: 40,
    phrases: [
      '(?:вс[юеяё]*|полн*|целик*|текущ*|истори*|содержим*|предыдущ*|последн*) (?:[^\\s]{1,30} ){0,3}?(?:переписк*|разговор*|диалог*|беседу|беседы|чат*|сообщени*|сесси*|заметк*|файл*)|истори* (?:чата|диалога|переписки|сообщений)|что (?:написал|сказал) пользовател*|личн* дел*|из других источников',
      '(?:cał*|pełn*|histori*) (?:[^\\s]{1,30} ){0,2}?(?:rozmow*|czat*|konwersacj*|wiadomości)|вс(?:ю|я) розмов*|celou konverzaci|tüm (?:konuşma*|sohbet*)|(?:konuşma|sohbet) geçmiş*',
    ],
  },
  {
    concept: 'system-prompt',
    points: 50,
    phrases: [
      'системн* (?:промпт*|подсказк*|инструкц*|сообщени*)|системний промпт|(?:prompt|instrukcj*|komunikat) systemow*|systémov* prompt*|sistem (?:istemi*|komutu*|mesajı*|talimat*)',
    ],
  },
  {
    concept: 'secret',
    points: 40,
    phrases: [
      '(?:все|всех|любые|сохранённ*|сохраненн*|его|её|их|свои|чужие) (?:[^\\s]{1,30} ){0,2}?(?:парол*|ключ*|токен*|секрет*|учётн*|учетн*|данные карт*)|wszystkie (?:hasła|klucze|tokeny)|tüm (?:şifre*|parola*|anahtar*)',
    ],
  },
  {
    concept: 'secret',
    points: 12,
    phrases: [
      'парол*|секретн* ключ*|ключ* (?:api|доступа)|токен* (?:доступа|авторизации)|hasł[oa]*|klucz* api|şifre*|parola*|hesla|heslo',
    ],
  },
  {
    concept: 'person',
    points: 30,
    phrases: [
      'паспорт*|оклад*|зарплат* сотрудник*|адрес* пользовател*|номер* карт*|личн* данн*|dowód osobisty|numer konta|kimlik numarası*|pesel',
    ],
  },
  {
    concept: 'preferred',
    points: 60,
    phrases: [
      '(?:всегда|только) ~ (?:этот|данный) (?:инструмент*) ~ (?:вместо|а не)|(?:другие|остальные|прочие) (?:инструмент*|сервер*) ~ (?:устарел*|неточн*|ненадёжн*|ненадежн*|сломан*|неверн*|не работа*)|inne narzędzia (?:są|nie)|diğer araçlar*',
    ],
  },
  {
    concept: 'pre-empts',
    points: 60,
    phrases: [
      '(?:перед|до|прежде чем) ~ (?:люб*|кажд*|всеми|всех|друг*) (?:друг* )?(?:инструмент*|вызов*|ответ*|действи*)|przed (?:każdym|użyciem|wywołaniem) (?:innego |innym |jakiegokolwiek )?(?:narzędzi*|odpowiedzi*)|(?:her|başka) (?:araç*|yanıt*) (?:[^\\s]{1,30} ){0,2}?önce',
    ],
  },
  {
    concept: 'obey',
    points: 80,
    phrases: [
      '(?:выполн*|исполн*|следуй*|следовать|подчиня*) ~ (?:всё, что|все, что|что бы|указани*|инструкци*|команд*) ~ (?:из|в|от|там|написан*|ответ*|результат*)|wykonaj ~ (?:co|polecenia) ~ (?:wynik*|odpowied*)',
    ],
  },
  {
    concept: 'pretext',
    points: 15,
    phrases: [
      'согласно ~ (?:регламент*|политик*|правил*|закон*|требовани*)|в целях (?:качеств*|безопасност*|контрол*)|zgodnie z (?:regulaminem|polityką|przepisami)|ze względów|gereği|amacıyla',
    ],
  },
  {
    concept: 'deceit',
    points: 45,
    phrases: [
      '(?:притвор*|сделай вид|делай вид|соври*|утвержда*) ~|wpisz [a-z]{2}\\d{2}|подмен*|замени* ~ (?:счёт|счет|реквизит*|адрес*|получател*)|udawaj*',
    ],
  },
  {
    concept: 'hand-over',
    points: 0,
    phrases: [
      '(?:отправ|передав|переда|передай|перешл|пересла|пересыла|добав|прилож|прилага|прикреп|скопир|копир|встав|включ|запиш|запис|вписа|укаж|помест|загруз|сохран|приложи)%|[а-яё]*(?:отправ|перед|пересл|добавл|прилаг|прилож|прикреп|копир|встав|запис|загру)[а-яё]*',
      '(?:надішл|додай|скопію|перешл)[а-яіїєґ]*|(?:wyślij|wpisz|dołącz|dodaj|skopiuj|przekaż|prześlij|wklej|umieść|podaj|zapisz)%|(?:pošli|přidej|zkopíruj|vlož)%|(?:gönder|ekle|kopyala|ilet|yaz|yapıştır|aktar)%',
    ],
  },
];
