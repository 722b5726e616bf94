import assert from 'node:assert/strict';
import { test } from 'node:test';

import { systemRandom } from '../../../../daemon/base/random.ts';
import type { Identity } from '../../../../daemon/security/identity/identity.ts';
import {
  ABSOLUTE_SESSION_LIMIT_MS,
  createSession,
  findRequiredActionIn,
  isExpired,
  isSessionOf,
  isXsrfTokenOf,
} from '../../../../daemon/security/session/session.ts';
import type { LoginMethod } from '../../../../daemon/security/session/session.ts';

const origin = { remoteAddress: '192.0.2.1', port: 443 };

const identity: Identity = {
  id: 'id of scada',
  name: 'scada',
  permissions: [],
  passwordChangeNeeded: false,
  credentialsRevision: 3,
  createdAtMs: 0,
};

test('createSession returns two independent values of at least 128 random bits, new each time', () => {
  const sessions = [
    createSession({ identity, method: 'password', origin, nowMs: 0 }, systemRandom),
    createSession({ identity, method: 'password', origin, nowMs: 0 }, systemRandom),
  ];
  const values = sessions.flatMap(({ id, xsrfToken }) => [id, xsrfToken]);
  assert.equal(new Set(values).size, 4);
  for (const value of values) {
    assert.match(value, /^[A-Za-z0-9_-]+$/);
    assert.ok(Buffer.from(value, 'base64url').length >= 16);
  }
});

test('isExpired is true from the inactivity interval on', () => {
  const session = createSession({ identity, method: 'password', origin, nowMs: 1000 }, systemRandom);
  assert.deepEqual(
    [1000, 900_999, 901_000, 902_000].map((nowMs) => isExpired(session, nowMs, 900_000)),
    [false, false, true, true],
  );
});

test('isExpired is true from the absolute limit on, however often the session is used', () => {
  const session = createSession({ identity, method: 'password', origin, nowMs: 0 }, systemRandom);
  const used = { ...session, lastUsedMs: ABSOLUTE_SESSION_LIMIT_MS - 1 };
  assert.equal(isExpired(used, ABSOLUTE_SESSION_LIMIT_MS - 1, 900_000), false);
  assert.equal(isExpired(used, ABSOLUTE_SESSION_LIMIT_MS, 900_000), true);
});

test('isSessionOf requires the same identity with the same credentials', () => {
  const session = createSession({ identity, method: 'password', origin, nowMs: 0 }, systemRandom);
  assert.equal(isSessionOf(session, { ...identity, permissions: ['rest.deploy'] }), true);
  assert.equal(isSessionOf(session, { ...identity, id: 'created again' }), false);
  assert.equal(isSessionOf(session, { ...identity, credentialsRevision: 4 }), false);
});

test('findRequiredActionIn: only sessions opened by password have duties, those that the identity has now', () => {
  const open = (of: Identity, method: LoginMethod) =>
    createSession({ identity: of, method, origin, nowMs: 0 }, systemRandom);
  const pending = { ...identity, passwordChangeNeeded: true };
  const unenrolled = { ...identity, secondFactorRequired: true };
  assert.equal(findRequiredActionIn(open(identity, 'password'), pending), 'PASSWORD_CHANGE');
  assert.equal(findRequiredActionIn(open(identity, 'password'), unenrolled), 'SECOND_FACTOR');
  assert.equal(
    findRequiredActionIn(open(identity, 'password'), { ...unenrolled, hasSecondFactor: true }),
    undefined,
  );
  assert.equal(findRequiredActionIn(open(identity, 'certificate'), pending), undefined);
  assert.equal(findRequiredActionIn(open(pending, 'password'), identity), undefined);
});

test('isXsrfTokenOf accepts the exact token only', () => {
  const session = createSession({ identity, method: 'password', origin, nowMs: 0 }, systemRandom);
  const { xsrfToken } = session;
  assert.equal(isXsrfTokenOf(session, xsrfToken), true);
  const others = [
    undefined,
    '',
    xsrfToken.slice(1),
    `${xsrfToken}, ${xsrfToken}`,
    ` ${xsrfToken}`,
    session.id,
  ];
  for (const other of [...others, 'ü'.repeat(xsrfToken.length), '😀']) {
    assert.equal(isXsrfTokenOf(session, other), false, other);
  }
});
