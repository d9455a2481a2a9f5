/** Everyday words in the words of tools, and what is left as it is. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inPlainWords } from './everyday-words.ts';

const meant: Readonly<Record<string, string>> = {
  mkdir: 'create directory',
  'MKDIR photos': 'create directory photos',
  'cat notes.txt': 'read file notes.txt',
  'cat the readme': 'read file the readme',
  'kill 4711': 'kill process 4711',
  'dig example.com': 'dns lookup example.com',
  'du -sh': 'directory sizes -sh',
  top: 'list processes',
  'touch .env': 'write new file .env',
  'tail -f': 'read the last lines of -f',
  'open a pull request': 'create pull request',
  'please file a bug about the login': 'please create bug about the login',
  'start a new branch': 'create branch',
  'am I free on Monday': 'calendar free busy availability on Monday',
  'how long ago was it': 'time since, relative time ago was it',
  'throw the old mail away': 'delete the old mail',
  'get rid of it': 'delete  it',
  'check the milk off my list': 'mark done complete the milk my list',
  'how do I get to the airport': 'directions route to the airport',
  'undo the commit': 'undo revert reset the commit',
  'roll back the release': 'roll back undo revert the release',
  'take it back': 'undo revert it',
  'forget the address': 'forget delete from memory the address',
  'turn off the lights': 'turn off stop the lights',
};

for (const [said, plain] of Object.entries(meant))
  test(`"${said}" means "${plain}"`, () => assert.equal(inPlainWords(said), plain));

test('phrases that only sound alike stay as they are', () => {
  for (const query of [
    'cat pictures',
    'touch typing lessons',
    'kill switches',
    'top 10 customers by revenue',
    'date of birth of a user',
    'date 3 days from now',
    'head of sales',
    'touch the screen',
    'dig into the logs',
    'du hast eine Nachricht',
    'ssh key list',
    'check my time off balance',
    'check if the lights are off',
    'how do I get my invoice',
    'where users forget their passwords',
    'how much time to cook rice',
    'which pull requests are open',
    'open the issue',
    'list the files',
    'restart',
    'far away',
    '',
    `mkdir ${'x'.repeat(400)}`,
  ])
    assert.equal(inPlainWords(query), query);
});
