/** X05: programs that must not start: of a stranger's folder, by variables that run code, and a gateway without its key. */

import { machineWithTrap, strangersFolder } from '../../test/kit/traps.ts';
import type { Check } from '../check.ts';
import { ERAS } from '../kit/agent-requests.ts';
import { otherKeys } from '../kit/other-keys.ts';
import { order } from '../kit/owner.ts';
import type { Rig } from '../kit/rig.ts';

/** One of each kind that opens a gateway of its own. */
const commands = ['tools', 'search anything', 'call mine:any', 'doctor', 'start --port 0', 'list'];

export const unaskedStarts: Check = {
  id: 'X05',
  kind: 'own',
  title: 'Programs that nobody agreed to',
  passes:
    'a folder starts nothing before it is trusted, import no server whose variables run code without --allow-env, and no gateway starts without the key of a secret',
  eras: ERAS,
  isAboutStore: true,
  async run(rig) {
    const setup = await rig.open({ servers: {}, config: { access: { keyring: 'off' } } });
    await rig.part('folder', () => folder(rig));
    await rig.part('variables', () => variables(rig));
    await rig.part('key', async () => {
      // It alone is sealed here.
      await order(setup, 'secrets.set', { name: 'KEY', value: rig.random.word('secret') });
      await otherKeys(rig, setup);
    });
    for (const era of ERAS) {
      const { said } = await (await setup.agent(era)).call('sibling.echo', { text: 'still here' });
      rig.expect(said === 'still here', `${era}: ${said.slice(0, 200)}`);
    }
  },
};

async function folder(rig: Rig): Promise<void> {
  const { machine, run, write, hasStarted } = await strangersFolder();
  await using _machine = machine;
  const refused = async (line: string) => {
    const { code, stdout, stderr } = await run(line);
    const isRefused = code !== 0 && /(?:is not trusted|has changed since you trusted it)/.test(`${stdout}${stderr}`);
    rig.expect(isRefused, `${line} ended with ${code}: ${stdout.slice(0, 200)}${stderr.slice(0, 200)}`);
  };
  for (const line of commands) await refused(line);
  rig.expect(!hasStarted(), 'A program of the folder was started.');
  await run('trust --yes');
  const { code, stderr } = await run('tools');
  rig.expect(code === 0 && hasStarted(), `After "trust" the program was not started: ${stderr.slice(0, 200)}`);
  await write('other');
  await refused('tools');
  rig.figure('commands', commands.length);
}

async function variables(rig: Rig): Promise<void> {
  const { machine, names, wasRun } = await machineWithTrap();
  await using _machine = machine;
  const { code, stderr } = await machine.run('import', '--yes');
  rig.expect(code !== 0 && stderr.includes('--allow-env'), `import ended with ${code}: ${stderr.slice(0, 300)}`);
  const taken = await names();
  rig.expect(taken.join() === 'honest', `import took ${taken.join(', ')}.`);
  rig.expect(!wasRun(), 'The file that a variable names was run.');
  await machine.run('import', '--yes', '--allow-env');
  await names();
  rig.expect(wasRun(), 'With --allow-env the variable had no effect, so that the refusal shows nothing.');
}
