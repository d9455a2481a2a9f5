/** The demo server `notes`: tools on a notebook in memory, each note as a resource, and a prompt to summarize them. */

import type { Clock } from '../base/clock.ts';
import { Signal } from '../base/signal.ts';
import {
  adds,
  defineTool,
  integerBetween,
  objectOf,
  optional,
  overwrites,
  several,
  type Tool,
  ToolRefusal,
  type ToolSet,
  text,
} from './tool.ts';

interface NoteContent {
  readonly title: string;
  readonly text: string;
  readonly tags: readonly string[];
}

interface Note extends NoteContent {
  readonly id: number;
  readonly updatedAt: string;
}

const mimeType = 'text/plain';

export function notesTools(clock: Clock): ToolSet {
  const notebook = new Notebook(clock);
  return {
    tools: toolsOn(notebook),
    resources: {
      templates: [{ uriTemplate: 'note://{id}', name: 'note', description: 'One note by its id.', mimeType }],
      changed: notebook.changed,
      list: () => notebook.all().map(({ id, title }) => ({ uri: `note://${id}`, name: `note-${id}`, title, mimeType })),
      read(uri) {
        const note = notebook.find(Number(/^note:\/\/(\d{1,10})$/.exec(uri)?.[1]));
        return note && { uri, mimeType, text: written(note) };
      },
    },
    prompts: [
      {
        definition: {
          name: 'summarize_notes',
          title: 'Summarize the notes',
          description: 'Asks for a short summary of the notes and of what is still to be done.',
          arguments: [{ name: 'topic', description: 'Only notes that contain these words.', required: false }],
        },
        write: ({ topic }) => summaryRequest(typeof topic === 'string' ? notebook.search(topic) : notebook.all()),
      },
    ],
  };
}

function summaryRequest(notes: readonly Note[]): string {
  if (notes.length === 0) return 'Tell me that there are no notes to summarize.';
  const request = 'Summarize these notes in a few sentences, then list what is still to be done.';
  return [request, ...notes.map(written)].join('\n\n');
}

function written({ title, text, tags }: Note): string {
  return [`# ${title}`, text, ...(tags.length > 0 ? [`Tags: ${tags.join(', ')}`] : [])].join('\n');
}

const fields = {
  id: integerBetween(1, 1_000_000_000, 'The id of the note, as list_notes and search_notes give it.'),
  title: text('A short title.', 200),
  text: text('What the note says.', 10_000),
  tags: several(text('One tag.', 50), 0, 20, 'Words to group notes by, such as "work".'),
} as const;
const noteSchema = objectOf({
  id: 'integer',
  title: 'string',
  text: 'string',
  tags: { type: 'array', items: { type: 'string' } },
  updatedAt: { type: 'string', description: 'When it was last written, in UTC.' },
});
const notesSchema = objectOf({ count: 'integer', notes: { type: 'array', items: noteSchema } });
const listed = (notes: readonly Note[]) => ({ count: notes.length, notes });

function toolsOn(notebook: Notebook): Tool[] {
  return [
    defineTool({
      name: 'add_note',
      title: 'Add a note',
      description:
        'Writes down a new note. Use it for what should be remembered: an idea, a reminder, something to buy.',
      annotations: adds,
      input: { title: fields.title, text: fields.text, tags: optional(fields.tags) },
      output: noteSchema,
      run: ({ title, text, tags }) => notebook.add({ title, text, tags: tags ?? [] }),
    }),
    defineTool({
      name: 'list_notes',
      title: 'List notes',
      description: 'Lists all notes, or those with one tag. Use it to see what has been written down.',
      input: { tag: optional(text('Only notes with this tag.', 50)) },
      output: notesSchema,
      run: ({ tag }) => listed(notebook.all().filter((note) => tag === undefined || note.tags.includes(tag))),
    }),
    defineTool({
      name: 'search_notes',
      title: 'Search notes',
      description:
        'Finds the notes that contain every given word in title, text or tags. Use it to look up what you wrote about something.',
      input: { query: text('The words to look for; upper and lower case are the same.') },
      output: notesSchema,
      run: ({ query }) => listed(notebook.search(query)),
    }),
    defineTool({
      name: 'update_note',
      title: 'Change a note',
      description:
        'Replaces the title, text or tags of a note and leaves the rest of it. Use it to correct or extend what was written.',
      annotations: overwrites,
      input: {
        id: fields.id,
        title: optional(fields.title),
        text: optional(fields.text),
        tags: optional(fields.tags),
      },
      output: noteSchema,
      run: ({ id, title, text, tags }) => {
        const changes = { ...(title && { title }), ...(text && { text }), ...(tags && { tags }) };
        if (Object.keys(changes).length > 0) return notebook.update(id, changes);
        throw new ToolRefusal('There is nothing to change: give a title, a text or tags.');
      },
    }),
    defineTool({
      name: 'delete_note',
      title: 'Delete a note',
      description: 'Removes a note for good. Use it for notes that are done with; there is no way back.',
      annotations: overwrites,
      input: { id: fields.id },
      run: ({ id }) => `Note ${id} ("${notebook.delete(id).title}") was deleted.`,
    }),
  ];
}

const mostNotes = 1_000;
const samples: readonly NoteContent[] = [
  { title: 'Shopping list', text: 'Coffee, oat milk, apples, a light bulb for the hall.', tags: ['home'] },
  {
    title: 'Garden plan',
    text: 'Sow the peas in March, move the rosemary to the sunny corner, mend the fence before the dog finds the hole.',
    tags: ['home', 'garden'],
  },
  {
    title: 'Team meeting',
    text: 'Release on Thursday. Mina writes the announcement, Jonas checks the upgrade guide. Open question: who is on call?',
    tags: ['work'],
  },
  {
    title: 'Books to read',
    text: 'The Left Hand of Darkness; A Pattern Language; something short about bees.',
    tags: ['ideas'],
  },
];

class Notebook {
  /** Emits when a note was added, renamed or removed. */
  readonly changed = new Signal<void>();
  readonly #clock: Clock;
  readonly #notes = new Map<number, Note>();
  /** Not used again: an id that was deleted must not come to mean another note. */
  #lastId = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
    for (const sample of samples) this.add(sample);
  }

  all(): readonly Note[] {
    return [...this.#notes.values()];
  }

  find(id: number): Note | undefined {
    return this.#notes.get(id);
  }

  /** The notes that contain every word of the query in title, text or tags, whatever the case. */
  search(query: string): readonly Note[] {
    const words = query.toLowerCase().split(/\s+/).filter(Boolean);
    return this.all().filter((note) => {
      const searched = [note.title, note.text, ...note.tags].join('\n').toLowerCase();
      return words.every((word) => searched.includes(word));
    });
  }

  add(content: NoteContent): Note {
    if (this.#notes.size >= mostNotes)
      throw new ToolRefusal(`The notebook is full: it holds ${mostNotes} notes. Delete one first.`);
    this.#lastId += 1;
    const note = this.#store(this.#lastId, content);
    this.changed.emit();
    return note;
  }

  update(id: number, changes: Partial<NoteContent>): Note {
    const before = this.#existing(id);
    const after = this.#store(id, { ...before, ...changes });
    if (after.title !== before.title) this.changed.emit();
    return after;
  }

  delete(id: number): Note {
    const note = this.#existing(id);
    this.#notes.delete(id);
    this.changed.emit();
    return note;
  }

  #existing(id: number): Note {
    const note = this.find(id);
    if (note) return note;
    throw new ToolRefusal(`There is no note ${id}. Use list_notes or search_notes to find the right id.`);
  }

  #store(id: number, { title, text, tags }: NoteContent): Note {
    const note = { id, title, text, tags, updatedAt: new Date(this.#clock.now()).toISOString() };
    this.#notes.set(id, note);
    return note;
  }
}
