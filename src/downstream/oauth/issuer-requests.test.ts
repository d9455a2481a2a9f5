/** Requests to authorization servers: how our client proves itself, and what their refusals mean. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ResponseBodyError } from 'oauth4webapi';
import type { ClientIdentity } from './client-identity.ts';
import { proofOf, refusalFrom } from './issuer-requests.ts';

const issuer = { issuer: 'https://id.example', token_endpoint: 'https://id.example/token' };

test('id and secret go into the header as forms encode them', () => {
  const client: ClientIdentity = {
    ...{ id: 'my-id', secret: 'a b&c', method: 'client_secret_basic', kind: 'configured', redirectUri: null },
  };
  const headers = new Headers();
  proofOf(client)(issuer, { client_id: client.id }, new URLSearchParams(), headers);
  assert.equal(headers.get('authorization'), `Basic ${Buffer.from('my-id:a+b%26c').toString('base64')}`);
});

test('only a clear no of the authorization server is final', () => {
  const saying = (error: string, status: number) =>
    new ResponseBodyError('no', { cause: { error }, response: new Response('', { status }) });
  assert.deepEqual(refusalFrom(saying('invalid_grant', 400)).isFinal, true);
  assert.deepEqual(refusalFrom(saying('slow_down', 400)).isFinal, false);
  assert.deepEqual(refusalFrom(saying('invalid_grant', 429)).isFinal, false);
  assert.deepEqual(refusalFrom(saying('invalid_grant', 500)).isFinal, false);
  assert.deepEqual(refusalFrom(new Error('reset')), { code: null, isFinal: false, sentence: 'reset' });
  const failed = new Error('no answer', { cause: new Response('', { status: 502 }) });
  assert.match(refusalFrom(failed).sentence, /HTTP 502/);
  assert.equal(refusalFrom(failed).isFinal, false);
});
