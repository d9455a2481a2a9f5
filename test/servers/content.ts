/** The resources, templates, prompts and completions a server has when its JSON does not name any. */

import type { PromptSpec, ResourceSpec, TemplateSpec } from './spec.ts';

/** Addresses carry the server's name, so that several default servers can stand behind one gateway. */
export function defaultResources(server: string): ResourceSpec[] {
  return [
    {
      uri: `test://${server}/text`,
      name: 'text',
      mimeType: 'text/plain',
      text: `Plain text from ${server}: naïve, 日本語.`,
    },
    { uri: `test://${server}/binary`, name: 'binary', mimeType: 'image/png', blob: 'iVBORw0KGgo=' },
    { uri: liveResource(server), name: 'live', mimeType: 'text/plain', text: 'revision 0' },
  ];
}

/** The resource that the `touch` tool changes. */
export function liveResource(server: string): string {
  return `test://${server}/live`;
}

export function defaultTemplates(server: string): TemplateSpec[] {
  return [
    {
      uriTemplate: `test://${server}/city/{city}`,
      name: 'city',
      text: 'All about {city}.',
      values: ['amsterdam', 'athens', 'berlin', 'bern', 'bogotá'],
    },
  ];
}

export function defaultPrompts(): PromptSpec[] {
  return [
    { name: 'greeting', description: 'Greets.', text: 'Say hello.' },
    {
      name: 'translate',
      description: 'Asks for a translation.',
      text: 'Translate "{text}" into {language}.',
      arguments: [
        {
          name: 'language',
          description: 'The target language.',
          required: true,
          values: ['dutch', 'danish', 'german'],
        },
        { name: 'text', description: 'What to translate.', required: true },
      ],
    },
  ];
}

/** Replaces every `{name}` that `values` knows. */
export function fill(text: string, values: Readonly<Record<string, unknown>>): string {
  return text.replace(/\{(\w+)\}/g, (hole, name: string) =>
    Object.hasOwn(values, name) ? String(values[name]) : hole,
  );
}

/** The value of the template's single variable in this address, if the address has the template's shape. */
export function matchTemplate(template: TemplateSpec, uri: string): Readonly<Record<string, string>> | undefined {
  const [before = '', variable = '', after = ''] = template.uriTemplate.split(/[{}]/);
  const isMatch = uri.startsWith(before) && uri.endsWith(after) && uri.length > before.length + after.length;
  if (variable === '' || !isMatch) return undefined;
  return { [variable]: decodeURIComponent(uri.slice(before.length, uri.length - after.length)) };
}
