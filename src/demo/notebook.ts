/** Notes in memory, with a few to begin with. */

import type { Clock } from '../base/clock.ts';
import { Signal } from '../base/signal.ts';
import { ToolRefusal } from './tool-refusal.ts';

export interface Note {
  readonly id: number;
  readonly title: string;
  readonly text: string;
  readonly tags: readonly string[];
  readonly updatedAt: string;
}

export type NoteContent = Pick<Note, 'title' | 'text' | 'tags'>;

const mostNotes = 1_000;

const samples: readonly NoteContent[] = [
  {
    title: 'Shopping list',
    text: 'Coffee, oat milk, apples, a light bulb for the hall.',
    tags: ['home'],
  },
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

export class Notebook {
  /** Emits when a note was added, renamed or removed. */
  readonly changed = new Signal<void>();
  readonly #clock: Clock;
  readonly #notes = new Map<number, Note>();
  #lastId = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
    for (const sample of samples) this.#store(this.#nextId(), sample);
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
    if (this.#notes.size >= mostNotes) {
      throw new ToolRefusal(`The notebook is full: it holds ${mostNotes} notes. Delete one first.`);
    }
    const note = this.#store(this.#nextId(), content);
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

  /** Numbers are not used again: an id that was deleted must not come to mean another note. */
  #nextId(): number {
    this.#lastId += 1;
    return this.#lastId;
  }
}
