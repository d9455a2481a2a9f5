/** Signing in to a remote server: an address to open, and waiting for the end of it. */

import { useLayoutEffect, useState } from 'preact/hooks';
import type { StartedSignIn } from '../../../../admin/admin.ts';
import { Button, Failed } from '../../parts/basic.tsx';
import { ConfirmButton } from '../../parts/dialog.tsx';
import { PageForm, TextField } from '../../parts/fields.tsx';
import { Ago, Said } from '../../parts/texts.tsx';
import { ApiError, run } from '../../session.ts';
import { useOperation, useOrder, usePageState } from '../../state.ts';

/** How long one request waits for the end; then it asks again. */
const waitMs = 25_000;

/** Shown for servers that know of signing in; nothing for all others. */
export function ServerSignIn({ name }: { readonly name: string }) {
  const { data } = useOperation('servers.signIns', {}, ['servers']);
  const order = useOrder();
  const [started, setStarted] = useState<StartedSignIn>();
  const state = data?.find((row) => row.name === name)?.state;
  if (started) return <WaitingSignIn started={started} onEnd={() => setStarted(undefined)} />;
  if (state === undefined || state === 'none') return null;
  const begin = async () => setStarted(await order.give('servers.signIn', { name }));
  const words = { needed: 'This server needs a sign-in.', 'more-rights': 'A tool of this server needs more rights.' };
  return (
    <div class="tools">
      <span>{state === 'signed-in' ? 'You are signed in to this server.' : words[state]}</span>
      <Button
        label={state === 'signed-in' ? 'Sign in again' : 'Sign in'}
        class={state === 'signed-in' ? '' : 'main'}
        disabled={order.isRunning}
        onClick={() => void begin()}
      />
      {state === 'signed-in' && (
        <ConfirmButton
          label="Sign out"
          question={`Forget the sign-in to “${name}”? Its calls fail until you sign in again.`}
          isDisabled={order.isRunning}
          onConfirm={() => void order.give('servers.signOut', { name }, 'Signed out.')}
        />
      )}
    </div>
  );
}

function WaitingSignIn({ started, onEnd }: { readonly started: StartedSignIn; readonly onEnd: () => void }) {
  const { tell } = usePageState();
  const order = useOrder();
  const [trouble, setTrouble] = useState<{ readonly message: string; readonly hint?: string | undefined }>();
  const [pasted, setPasted] = useState('');
  const { name, flow, address } = started;
  useLayoutEffect(() => {
    const stop = new AbortController();
    waitForEnd(name, flow, stop.signal).then(
      ({ error, hint }) => {
        if (error !== null) return setTrouble({ message: error, hint: hint ?? undefined });
        tell(`Signed in to ${name}.`);
        onEnd();
      },
      (error: unknown) => {
        if (!stop.signal.aborted) setTrouble({ message: error instanceof ApiError ? error.message : String(error) });
      },
    );
    return () => stop.abort();
  }, [name, flow, tell]);
  if (trouble) return <Failed {...trouble} onRetry={onEnd} />;
  return (
    <div class="notice warn">
      <p role="status">
        <a href={/^https?:/i.test(address) ? address : '#'} target="_blank" rel="noopener noreferrer">
          Open the sign-in page
        </a>{' '}
        of <Said text={hostOf(address)} /> in a new tab. This page waits until you have finished.
      </p>
      <p>
        The link expires <Ago at={started.expiresAt} />.
      </p>
      <PageForm class="tools" onSend={() => void order.give('servers.finishSignIn', { name, address: pasted })}>
        <TextField label="If the last page does not load, paste its address here" value={pasted} onValue={setPasted} />
        <button type="submit" disabled={pasted === '' || order.isRunning}>
          Finish
        </button>
        <Button label="Cancel" onClick={onEnd} />
      </PageForm>
    </div>
  );
}

async function waitForEnd(name: string, flow: string, signal: AbortSignal) {
  for (;;) {
    const report = await run('servers.signInEnd', { name, flow, waitMs }, signal);
    if (report.state !== 'waiting') return report;
  }
}

function hostOf(address: string): string {
  return URL.parse(address)?.host ?? address;
}
