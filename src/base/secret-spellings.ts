/** The ways in which one value reads where it is passed on: inside JSON, URLs and forms, in base64 and in hexadecimal. */

/** The value first, then what is likelier to be met. Those of a value without odd characters are few. */
export function spellingsOf(value: string): string[] {
  const text = value.toWellFormed();
  const json = JSON.stringify(value).slice(1, -1);
  const spellings = [
    value,
    json,
    json.replaceAll('/', '\\/'),
    asciiOnly(json),
    JSON.stringify(json).slice(1, -1),
    ...inAddresses(text),
    inMarkup(text),
    ...inBytes(text),
  ];
  return [...new Set(spellings)];
}

function asciiOnly(json: string): string {
  return json.replace(/[^\x20-\x7e]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** Signs are escaped differently in a parameter, a form, a path and a password, and with capitals or without. */
function inAddresses(text: string): string[] {
  const url = new URL('https://x.invalid/');
  url.pathname = `/${text}`;
  url.search = `?${text}`;
  url.password = text;
  const form = new URLSearchParams([['', text]]).toString().slice(1);
  const spellings = [encodeURIComponent(text), form, url.search.slice(1), url.pathname.slice(1), url.password];
  return spellings.flatMap((spelling) => [spelling, spelling.replace(/%[0-9A-F]{2}/g, (sign) => sign.toLowerCase())]);
}

function inMarkup(text: string): string {
  const names: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
  return text.replace(/[&<>"]/g, (sign) => names[sign] ?? sign);
}

function inBytes(text: string): string[] {
  const bytes = Buffer.from(text);
  const hex = bytes.toString('hex');
  return [...[0, 1, 2].flatMap((at) => inBase64(bytes, at)), hex, hex.toUpperCase()];
}

/**
 * The characters that stand for nothing but these bytes, which is all but one or two at either end: in base64 a value reads
 * differently by how many bytes are before it, such as the name of a user.
 */
function inBase64(bytes: Buffer, before: number): string[] {
  const shifted = Buffer.concat([Buffer.alloc(before), bytes]);
  const from = Math.ceil((before * 8) / 6);
  const to = Math.floor((shifted.length * 8) / 6);
  return [shifted.toString('base64').slice(from, to), shifted.toString('base64url').slice(from, to)];
}
