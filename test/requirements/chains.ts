/** Promises about programs that agents write. */

import type { Requirement } from './requirement.ts';

function promises(source: string, sentences: Readonly<Record<string, string>>): Requirement[] {
  return Object.entries(sentences).map(([id, sentence]) => ({ id, sentence, source }));
}

export const chainRequirements: readonly Requirement[] = [
  ...promises('SPEC 9, calls', {
    'CHAIN-01': 'A program joins the results of several servers for a tenth of the tokens of single calls, or fewer.',
    'CHAIN-02': 'Every call of a program is an ordinary call: authorized, checked and measured for its agent.',
    'CHAIN-03': 'What a principal may not see can be neither called nor learned of by its programs.',
    'CHAIN-04': 'At the door of a project, programs have the servers of that project only.',
    'CHAIN-05': 'Names with dashes and dots are reached in every way in which programs write them.',
    'CHAIN-06': 'A program that fails says where and why, what it did before, and how to go on.',
    'CHAIN-07': 'Programs are answered on every surface, and nowhere where the owner has switched them off.',
    'CHAIN-08': 'A program finds tools, schemas and types by itself.',
  }),
  ...promises('SPEC 9, results', {
    'CHAIN-09': 'The answer of a program stays within its limit, and what does not fit can be read on.',
    'CHAIN-10': 'A value that a program keeps is there for later programs of the same principal, and for nobody else.',
    'CHAIN-11': 'A result is given whole to a program, or kept where it is too large and read in pieces.',
    'CHAIN-12': 'Results that are used again are marked in the list of calls.',
  }),
  ...promises('SPEC 9, limits', {
    'CHAIN-13': 'A program ends at its time with what it did so far; its calls are cancelled and counted.',
    'CHAIN-14': 'An agent that gives up ends its program and the calls of it.',
    'CHAIN-15': 'An agent that asks for progress hears how many calls of its program are done.',
    'CHAIN-16':
      'A question of a server reaches the agent behind a program only where it can be answered in the middle.',
    'CHAIN-17': 'A thousand parallel calls of one program all come back; more calls than allowed are refused.',
    'CHAIN-18': 'A program runs from the command line, with the exit codes of a call.',
  }),
  ...promises('SPEC 9, sandbox', {
    'CHAIN-20': 'No program reaches anything of the host.',
    'CHAIN-21': 'A program that does not end is ended at its limit, whatever it is in the middle of.',
    'CHAIN-22': 'A program that wants more memory than it may have is ended, and the memory comes back.',
    'CHAIN-23': 'Calls, log lines and results of a program stay within their bounds while they are made.',
    'CHAIN-24': 'Nothing of a program acts after its end.',
    'CHAIN-25': 'Programs share nothing with each other.',
    'CHAIN-26':
      'Neither other programs nor the loop of the gateway are held up by a program, and its memory comes back.',
    'CHAIN-27': 'A program whose agent gives it up is ended at once.',
    'CHAIN-28': 'Closing the gateway ends every program and every thread.',
    'CHAIN-29': 'Programs that find no thread wait within their own time, and too many are refused.',
    'CHAIN-30': 'That a thread cannot start or breaks down is told to the program it was for.',
    'CHAIN-31': 'A recursion without end gives a clear error.',
    'CHAIN-32': 'Code that is too long, too deep or malformed is refused in words.',
    'CHAIN-33':
      'The time of a program is real, its random numbers are its own, and nothing but its report is written anywhere.',
    'CHAIN-34':
      'Calls that a program did not wait for end within its time; of one that failed they may end or are given up, and the list says what became of each.',
    'CHAIN-35': 'Answers that a program does not take are bounded, and so is what waits behind them.',
    'CHAIN-36': 'Requests of programs get a share of the event loop, and nobody else waits for more than that.',
    'CHAIN-37':
      'One principal gets a share of the threads and of the places where programs wait; a program that never began says so.',
    'CHAIN-38':
      'Floods of questions against a catalog of thousands of tools hold up nobody and take no memory to speak of.',
    'CHAIN-39': 'A program gets every number and every line as it was sent, or is told that it does not.',
  }),
  ...promises('SPEC 9, shapes', {
    'CHAIN-40': 'Code in the shapes that models write gives what was meant.',
    'CHAIN-41': 'Calls that are written as JSON are made.',
    'CHAIN-42': 'TypeScript is read like JavaScript, and what cannot be read is told with what to write instead.',
    'CHAIN-43': 'Tools are called by every name that models write, and a call of the wrong form is told the right one.',
    'CHAIN-44': 'An error names the line of the code as it was sent, and what to do about it.',
    'CHAIN-45': 'A result that is no JSON is converted, and every change is told.',
    'CHAIN-46': "A program that overwrites the language's own functions fools nobody but itself.",
    'CHAIN-47':
      'Declarations of tools are valid, shorter than their schemas, and nothing of a server breaks out of them.',
    'CHAIN-49': 'Every getter of a result and of the arguments of a call runs once.',
    'CHAIN-48': 'The servers can be listed, taken apart, printed and awaited like plain objects.',
  }),
];
