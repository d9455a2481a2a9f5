/** Texts that mean something to a shell, a path, a URL or a header, and nothing to anybody who takes them as text. */

/** Command lines, each of which would make the file where a shell read it. */
export function shellLines(mark: string): string[] {
  return [
    `bash -c 'touch ${mark}'`,
    `touch ${mark}`,
    `$(touch ${mark})`,
    `\`touch ${mark}\``,
    `true; touch ${mark}`,
    `true|touch ${mark}`,
    `true && touch ${mark}`,
    `true\ntouch ${mark}`,
    `; touch ${mark} #`,
    `\${IFS}touch\${IFS}${mark}`,
    `| tee ${mark}`,
    `> ${mark}`,
    `--require=${mark}`,
  ];
}

export function hostileArguments(mark: string): string[] {
  return [
    ...['../../admin', '..\\..\\admin', '/etc/passwd', 'a?x=1&y=2', 'a#b', 'a%2f..%2fb', '%0d%0aX-Evil: 1', 'a\0b'],
    ...[
      'x\r\nX-Evil: 1',
      'x\nX-Evil: 1\n\n{}',
      '=?base64?WC1FdmlsOiAx?=',
      '--upload-pack=touch',
      '-oProxyCommand=touch',
    ],
    ...[
      `\${HOME}`,
      '$(id)',
      `$(touch ${mark})`,
      `\`touch ${mark}\``,
      `; touch ${mark}`,
      "' OR '1'='1",
      '{{7*7}}',
      '%s%n',
    ],
    ...['\u202eevil', '\ufeffx', ' leading', 'trailing ', 'é\u0301', '\ud83d\ude42'],
  ];
}

/** Names that a careless program would make a path of; the word stands in each that could be found again. */
export function namesWithPaths(word: string): string[] {
  return [
    ...[`../../${word}`, `..\\..\\${word}`, `/etc/${word}`, `/tmp/${word}`, `a\0${word}`, `.${word}`, `~/${word}`],
    ...[`%2e%2e%2f${word}`, `..%c0%af${word}`, `${word}/../../x`, `c:\\${word}`, `file:///tmp/${word}`, `${word}\n/x`],
    ...['.', '..', 'CON', 'NUL', 'aux.txt', '-rf', '--help', '*', '$(id)', `${word}${'n'.repeat(4_096)}`],
  ];
}
