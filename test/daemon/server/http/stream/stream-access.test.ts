import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Unavailable } from '../../../../../daemon/base/errors.ts';
import type { Credentials } from '../../../../../daemon/security/identity/provider/authentication-provider.ts';
import { Authenticator } from '../../../../../daemon/security/identity/authenticator.ts';
import type {
  AuthenticationMethod,
  Identity,
  Principal,
} from '../../../../../daemon/security/identity/identity.ts';
import type { Access } from '../../../../../daemon/interface/endpoint.ts';
import { findStreamEnd } from '../../../../../daemon/server/http/stream/stream-access.ts';
import { restSettingsSchema } from '../../../../../daemon/settings/rest-settings.ts';
import { ManualClock } from '../../../../support/manual-clock.ts';
import { createMemoryLogger } from '../../../../support/memory-logger.ts';
import { createRoute } from '../application-fixture.ts';
import { createContext } from '../request-fixture.ts';

const IDENTITY: Identity = {
  id: 'id-1',
  name: 'scada',
  permissions: ['rest.assets'],
  passwordChangeNeeded: false,
  credentialsRevision: 1,
  createdAtMs: 0,
};

interface Present {
  readonly identity?: Identity | undefined;
  readonly stored?: Identity | undefined;
  readonly method?: AuthenticationMethod;
  readonly allowedPorts?: number[];
  readonly access?: Access;
  readonly isAvailable?: boolean;
  readonly fails?: boolean;
}

/** Checks a stream that scada opened on port 443; also returns the calls to the authenticator. */
async function recheck(present: Present = {}) {
  const { identity = IDENTITY, stored = IDENTITY, method = 'session', allowedPorts = [] } = present;
  const clock = new ManualClock();
  const asked: Credentials[] = [];
  const authenticator = new Authenticator({ clock, logger: createMemoryLogger() });
  authenticator.add({
    name: 'test',
    priority: 1,
    authenticate(credentials): Principal | undefined {
      asked.push(credentials);
      if (present.fails === true) {
        throw new Unavailable({ code: 'STREAMS_EXHAUSTED', detail: 'busy', retryAfterSeconds: 1 });
      }
      return 'identity' in present && present.identity === undefined ? undefined : { identity, method };
    },
  });
  const context = createContext({}, { isTls: false, principal: { identity: IDENTITY, method } });
  context.endpoint = createRoute({
    access: present.access ?? 'rest.assets',
    isAvailable: () => present.isAvailable ?? true,
  });
  const rest = { ...restSettingsSchema.parse({}), allowedPorts };
  const identities = { find: () => stored };
  const end = await findStreamEnd(context, { authenticator, identities, rest: () => rest, clock });
  return { end, asked };
}

test('a stream continues while its request would be permitted, and does not count as a use of its session', async () => {
  const { end, asked } = await recheck();
  assert.deepEqual([end, asked.map(({ isRecheck }) => isRecheck)], [undefined, [true]]);
});

test('a stream ends when its request would be refused', async () => {
  const ends: readonly (readonly [Present, string])[] = [
    [{ identity: undefined }, 'NOT_AUTHENTICATED'],
    [{ identity: { ...IDENTITY, id: 'id-2' } }, 'NOT_AUTHENTICATED'],
    [{ identity: { ...IDENTITY, permissions: ['rest.identity'] } }, 'NOT_PERMITTED'],
    [{ allowedPorts: [8443] }, 'PORT_CLOSED'],
    [{ isAvailable: false }, 'ENDPOINT_DISABLED'],
  ];
  for (const [present, expected] of ends) assert.equal((await recheck(present)).end, expected);
  assert.equal((await recheck({ identity: { ...IDENTITY, permissions: ['rest.admin'] } })).end, undefined);
});

test('a stream of a route with an invalid access ends, even for an administrator', async () => {
  const identity = { ...IDENTITY, permissions: ['rest.admin'] };
  assert.equal((await recheck({ identity, access: 'assets' as Access })).end, 'NOT_PERMITTED');
});

test('a changed password ends a stream without counting as a failed attempt', async () => {
  const { end, asked } = await recheck({ method: 'basic', stored: { ...IDENTITY, credentialsRevision: 2 } });
  assert.deepEqual([end, asked.length], ['NOT_AUTHENTICATED', 0]);
});

test('a stream continues while its credentials cannot be verified', async () => {
  assert.equal((await recheck({ fails: true })).end, undefined);
});

test('a stream with access PUBLIC needs no credentials', async () => {
  const { end, asked } = await recheck({ access: 'PUBLIC', identity: undefined });
  assert.deepEqual([end, asked.length], [undefined, 0]);
});
