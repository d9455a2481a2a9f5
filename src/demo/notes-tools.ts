/** The demo server `notes`: tools on a notebook in memory, each note as a resource, and a prompt to summarize them. */

import type { Clock } from '../base/clock.ts';
import { integerBetween, listOf, optional, text } from './fields.ts';
import { type Note, Notebook } from './notebook.ts';
import { notesPrompt, notesResources } from './notes-resources.ts';
import { adds, defineTool, objectOf, overwrites, reads, type Tool } from './tool.ts';
import { ToolRefusal } from './tool-refusal.ts';
import type { ToolSet } from './tool-set.ts';

export function notesTools(clock: Clock): ToolSet {
  const notebook = new Notebook(clock);
  return {
    tools: [addNote(notebook), listNotes(notebook), searchNotes(notebook), updateNote(notebook), deleteNote(notebook)],
    resources: notesResources(notebook),
    prompts: [notesPrompt(notebook)],
  };
}

const fields = {
  id: integerBetween(1, 1_000_000_000, 'The id of the note, as list_notes and search_notes give it.'),
  title: text('A short title.', 200),
  text: text('What the note says.', 10_000),
  tags: listOf(text('One tag.', 50), 0, 20, 'Words to group notes by, such as "work".'),
} as const;

const noteSchema = objectOf({
  id: { type: 'integer' },
  title: { type: 'string' },
  text: { type: 'string' },
  tags: { type: 'array', items: { type: 'string' } },
  updatedAt: { type: 'string', description: 'When it was last written, in UTC.' },
});

const notesSchema = objectOf({
  count: { type: 'integer' },
  notes: { type: 'array', items: noteSchema },
});

function listed(notes: readonly Note[]): object {
  return { count: notes.length, notes };
}

function addNote(notebook: Notebook): Tool {
  return defineTool({
    name: 'add_note',
    title: 'Add a note',
    description: 'Writes down a new note. Use it for what should be remembered: an idea, a reminder, something to buy.',
    annotations: adds,
    input: { title: fields.title, text: fields.text, tags: optional(fields.tags) },
    output: noteSchema,
    run: ({ title, text, tags }) => notebook.add({ title, text, tags: tags ?? [] }),
  });
}

function listNotes(notebook: Notebook): Tool {
  return defineTool({
    name: 'list_notes',
    title: 'List notes',
    description: 'Lists all notes, or those with one tag. Use it to see what has been written down.',
    annotations: reads,
    input: { tag: optional(text('Only notes with this tag.', 50)) },
    output: notesSchema,
    run: ({ tag }) => listed(notebook.all().filter((note) => tag === undefined || note.tags.includes(tag))),
  });
}

function searchNotes(notebook: Notebook): Tool {
  return defineTool({
    name: 'search_notes',
    title: 'Search notes',
    description:
      'Finds the notes that contain every given word in title, text or tags. Use it to look up what you wrote about something.',
    annotations: reads,
    input: { query: text('The words to look for; upper and lower case are the same.') },
    output: notesSchema,
    run: ({ query }) => listed(notebook.search(query)),
  });
}

function updateNote(notebook: Notebook): Tool {
  return defineTool({
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
  });
}

function deleteNote(notebook: Notebook): Tool {
  return defineTool({
    name: 'delete_note',
    title: 'Delete a note',
    description: 'Removes a note for good. Use it for notes that are done with; there is no way back.',
    annotations: overwrites,
    input: { id: fields.id },
    run: ({ id }) => `Note ${id} ("${notebook.delete(id).title}") was deleted.`,
  });
}
