import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import type { TestContext } from 'node:test';

import { systemClock } from '../../../../../daemon/base/clock.ts';
import { GatewayError, InvalidRequest } from '../../../../../daemon/base/errors.ts';
import { createUpload } from '../../../../../daemon/server/http/body/upload.ts';

/** Uploads a form; returns what was received, or the error. */
async function upload(
  t: TestContext,
  form: FormData,
  receive: (chunks: AsyncIterable<Uint8Array>) => Promise<string>,
): Promise<unknown> {
  const target = { receive, discard: () => Promise.resolve(), maximumBytes: () => 1000 };
  const accept = createUpload(target, systemClock);
  const outcome = Promise.withResolvers<unknown>();
  const server = createServer((request, response) => {
    const ended = accept({ request, party: 'operator', boundOwnTime: () => {} });
    void ended.then(outcome.resolve, outcome.resolve).finally(() => response.end());
  });
  server.listen(0, '127.0.0.1');
  t.after(() => server.close());
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body: form });
  return outcome.promise;
}

async function readText(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  const parts: Uint8Array[] = [];
  for await (const chunk of chunks) parts.push(chunk);
  return Buffer.concat(parts).toString();
}

function makeForm(field: string): FormData {
  const form = new FormData();
  form.set(field, new Blob(['content']), 'a.dp');
  return form;
}

test('a file is received', async (t) => {
  assert.equal(await upload(t, makeForm('file'), readText), 'content');
});

test('a form with another field is the fault of the client', async (t) => {
  const error = await upload(t, makeForm('other'), readText);
  assert.ok(error instanceof InvalidRequest, String(error));
  assert.equal(error.code, 'UPLOAD_INVALID');
});

test('a defect of the gateway is not the fault of the client', async (t) => {
  const defect = new TypeError('not a function');
  const error = await upload(t, makeForm('file'), async (chunks) => {
    await readText(chunks);
    throw defect;
  });
  assert.equal(error, defect);
  assert.ok(!(error instanceof GatewayError));
});
