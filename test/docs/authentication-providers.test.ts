import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

import { DEFAULT_DEADLINE_MS } from '../../daemon/software/bridge/bridged-provider.ts';
import { isCredentialField } from '../../daemon/software/bridge/credential-field.ts';
import { Authenticator, SHARED_LIMIT_MS } from '../../daemon/security/identity/authenticator.ts';
import {
  FIRST_PAUSE_MS,
  MAXIMUM_PAUSE_MS,
  TIMEOUT_THRESHOLD,
} from '../../daemon/security/identity/provider/provider-circuit-breaker.ts';
import { adaptCustomProvider } from '../../daemon/security/identity/provider/custom-provider.ts';
import type { CustomAuthenticationProvider } from '../../daemon/security/identity/provider/custom-provider.ts';
import type { Identity } from '../../daemon/security/identity/identity.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { createMemoryLogger } from '../support/memory-logger.ts';

const DOCUMENT = path.resolve(import.meta.dirname, '../../docs/dev/authentication-providers.md');

test('the example provider of the documentation recognises the owner of a key and no other client', async (t) => {
  const createApiKeyProvider = await loadExample(t);
  const digest = createHash('sha256').update('key of the pump').digest('hex');
  const clock = new ManualClock();
  const authenticator = new Authenticator({ clock, logger: createMemoryLogger() });
  const identities = { find: (name: string) => (name === 'pump' ? pump : undefined) };
  const provider = createApiKeyProvider(
    new Map([
      [digest, 'pump'],
      [createHash('sha256').update('key of nobody').digest('hex'), 'nobody'],
    ]),
  );
  const told: string[] = [];
  const remove = authenticator.add(
    adaptCustomProvider(
      { ...provider, onEnabled: () => told.push('enabled'), onDisabled: () => told.push('disabled') },
      identities,
    ),
  );
  const ask = (key: string | undefined) =>
    authenticator.authenticate({
      remoteAddress: '192.0.2.1',
      isXsrfExempt: false,
      isOpenToLockedSessions: false,
      header: (name) => (name === 'x-api-key' ? key : undefined),
    });

  assert.deepEqual(await ask('key of the pump'), { identity: pump, method: 'custom' });
  assert.equal(await ask('another key'), undefined);
  assert.equal(await ask('key of nobody'), undefined);
  assert.equal(await ask(undefined), undefined);
  remove();
  remove();
  assert.equal(await ask('key of the pump'), undefined);
  assert.deepEqual(told, ['enabled', 'disabled']);
});

test('the numbers of silent providers in the documentation are those of the code', () => {
  const page = readFileSync(DOCUMENT, 'utf8');
  const [, section = ''] = page.split('## Providers that are silent');
  const numbers = [...(section.split('\n## ')[0] ?? '').matchAll(/\d+/g)].map(Number);
  assert.deepEqual(numbers, [
    SHARED_LIMIT_MS / 1000,
    TIMEOUT_THRESHOLD,
    FIRST_PAUSE_MS / 1000,
    MAXIMUM_PAUSE_MS / 1000,
  ]);
  assert.match(
    page,
    new RegExp(`The default deadline is 5 seconds, and ${DEFAULT_DEADLINE_MS / 1000} second for\\s+a bundle`),
  );
});

test('the fields and words of the documentation are those that need the permission "credentials"', () => {
  const page = readFileSync(DOCUMENT, 'utf8');
  const [, paragraph = ''] = /\n(A field carries credentials [^]*?)\n\n/.exec(page) ?? [];
  const names = [...paragraph.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name.toLowerCase());
  const free = names.filter((name) => !isCredentialField(name));
  assert.ok(names.length > 20);
  assert.deepEqual(free, ['x-api-key']);
});

const pump: Identity = {
  id: '1',
  name: 'pump',
  permissions: ['rest.assets'],
  passwordChangeNeeded: false,
  credentialsRevision: 1,
  createdAtMs: 0,
};

type CreateApiKeyProvider = (names: ReadonlyMap<string, string>) => CustomAuthenticationProvider;

async function loadExample(t: { after(cleanUp: () => void): void }): Promise<CreateApiKeyProvider> {
  const code = /```ts\n([^]*?)```/.exec(readFileSync(DOCUMENT, 'utf8'))?.[1] ?? assert.fail('no example');
  // Beside the document, where the paths of its imports begin.
  const file = path.join(path.dirname(DOCUMENT), `example-${process.pid}.tmp.ts`);
  writeFileSync(file, code);
  t.after(() => rmSync(file));
  const loaded = (await import(file)) as { readonly createApiKeyProvider: CreateApiKeyProvider };
  return loaded.createApiKeyProvider;
}
