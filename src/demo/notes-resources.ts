/** The notes as resources (`note://ID`), and the prompt that asks for a summary of them. */

import type { Note, Notebook } from './notebook.ts';
import type { Prompt, Resources } from './tool-set.ts';

const mimeType = 'text/plain';

export function notesResources(notebook: Notebook): Resources {
  return {
    templates: [{ uriTemplate: 'note://{id}', name: 'note', description: 'One note by its id.', mimeType }],
    changed: notebook.changed,
    list: () =>
      notebook
        .all()
        .map((note) => ({ uri: `note://${note.id}`, name: `note-${note.id}`, title: note.title, mimeType })),
    read(uri) {
      const id = /^note:\/\/(\d{1,10})$/.exec(uri)?.[1];
      const note = id === undefined ? undefined : notebook.find(Number(id));
      return note && { uri, mimeType, text: written(note) };
    },
  };
}

export function notesPrompt(notebook: Notebook): Prompt {
  return {
    definition: {
      name: 'summarize_notes',
      title: 'Summarize the notes',
      description: 'Asks for a short summary of the notes and of what is still to be done.',
      arguments: [{ name: 'topic', description: 'Only notes that contain these words.', required: false }],
    },
    write({ topic }) {
      const notes = typeof topic === 'string' ? notebook.search(topic) : notebook.all();
      if (notes.length === 0) return 'Tell me that there are no notes to summarize.';
      const request = 'Summarize these notes in a few sentences, then list what is still to be done.';
      return [request, ...notes.map(written)].join('\n\n');
    },
  };
}

function written({ title, text, tags }: Note): string {
  return [`# ${title}`, text, ...(tags.length > 0 ? [`Tags: ${tags.join(', ')}`] : [])].join('\n');
}
