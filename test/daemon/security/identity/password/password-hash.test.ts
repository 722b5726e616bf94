import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import type { TestContext } from 'node:test';

import { GATEWAY_ITSELF } from '../../../../../daemon/security/identity/password/hash-source.ts';
import { createPasswordHasher } from '../../../../../daemon/security/identity/password/password-hash.ts';
import { startHashThread } from '../../../../../daemon/security/identity/password/password-hash-thread.ts';
import { ManualClock } from '../../../../support/manual-clock.ts';
import { CHEAP_COST, CountingThreads } from '../identity-fixture.ts';

function createHasher(t: TestContext, cost = CHEAP_COST) {
  const hasher = createPasswordHasher({ clock: new ManualClock(), cost });
  t.after(() => hasher.stop());
  return hasher;
}

// From test.c of the reference implementation (github.com/P-H-C/phc-winner-argon2).
const PUBLISHED = [
  '$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4',
  '$argon2id$v=19$m=256,t=2,p=2$c29tZXNhbHQ$bQk8UB/VmZZF4Oo79iDXuL5/0ttZwg2f/5U52iv1cDc',
  '$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc',
];

test('verify accepts the published hashes', async (t) => {
  const hasher = createHasher(t);
  for (const hash of PUBLISHED)
    assert.equal(await hasher.verify('password', hash, GATEWAY_ITSELF), true, hash);
});

test('hash creates a PHC string with a new salt each time, which verify accepts', async (t) => {
  const hasher = createHasher(t);
  const [first, second] = await Promise.all([
    hasher.hash('secret', GATEWAY_ITSELF),
    hasher.hash('secret', GATEWAY_ITSELF),
  ]);
  assert.match(first, /^\$argon2id\$v=19\$m=8,t=1,p=1\$/);
  assert.notEqual(first, second);
  assert.equal(await hasher.verify('secret', first, GATEWAY_ITSELF), true);
  assert.equal(await hasher.verify('Secret', first, GATEWAY_ITSELF), false);
});

test('passwords are used without any change', async (t) => {
  const hasher = createHasher(t);
  const hash = await hasher.hash(' é\u0000x ', GATEWAY_ITSELF);
  const others = ['é\u0000x', ' e\u0301\u0000x ', ' é', ' é\u0000x', ' é\u0000y '];
  for (const other of others)
    assert.equal(await hasher.verify(other, hash, GATEWAY_ITSELF), false, JSON.stringify(other));
  assert.equal(await hasher.verify(' é\u0000x ', hash, GATEWAY_ITSELF), true);
});

test('verify costs one hash without a hash, with a broken one, and for an impossible password', async () => {
  const threads = new CountingThreads();
  const hasher = createPasswordHasher({
    clock: new ManualClock(),
    cost: CHEAP_COST,
    startThread: threads.start,
  });
  const hash = await hasher.hash('secret', GATEWAY_ITSELF);
  const cases: [string, string | undefined][] = [
    ['secret', undefined],
    ['', undefined],
    ['secret', 'broken'],
    ['', hash],
    ['x'.repeat(1025), hash],
    ['x'.repeat(90_000), hash],
    ['\ud800', hash],
    ['wrong', hash],
  ];
  for (const [password, stored] of cases) {
    const before = threads.hashes;
    assert.equal(await hasher.verify(password, stored, GATEWAY_ITSELF), false);
    assert.equal(threads.hashes - before, 1, `${password.length} characters against ${stored}`);
  }
});

test('hash refuses empty, overlong and malformed passwords', async (t) => {
  const hasher = createHasher(t);
  for (const password of ['', 'x'.repeat(1025), 'abc\udc00']) {
    await assert.rejects(hasher.hash(password, GATEWAY_ITSELF), {
      name: 'InvalidRequest',
      code: 'PASSWORD_NOT_USABLE',
    });
  }
});

test('needsRehash recognizes hashes with other parameters', async (t) => {
  const hasher = createHasher(t);
  assert.equal(hasher.needsRehash(await hasher.hash('secret', GATEWAY_ITSELF)), false);
  assert.equal(hasher.needsRehash(PUBLISHED[0] ?? ''), true);
  assert.equal(hasher.needsRehash('broken'), true);
});

test('the default cost is 19 MiB, two passes, one lane', async (t) => {
  const hasher = createPasswordHasher({ clock: new ManualClock() });
  t.after(() => hasher.stop());
  assert.match(await hasher.hash('secret', GATEWAY_ITSELF), /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
});

test(
  'the hash threads run at low priority and no other thread does',
  { skip: process.platform === 'linux' ? false : 'thread priorities are read from /proc' },
  async (t) => {
    const thread = startHashThread();
    t.after(() => thread.end());
    const password = new TextEncoder().encode('secret');
    await thread.derive({ ...CHEAP_COST, password, salt: Buffer.alloc(16), tagLength: 32 });
    const priorities = readdirSync('/proc/self/task').map((task) => {
      const stat = readFileSync(`/proc/self/task/${task}/stat`, 'utf8');
      // proc_pid_stat(5): nice is field 19; the name, field 2, may contain spaces.
      const nice = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[16]);
      return { isMain: Number(task) === process.pid, nice };
    });
    const main = priorities.find(({ isMain }) => isMain)?.nice ?? Number.NaN;
    assert.deepEqual(
      priorities.map(({ nice }) => nice).filter((nice) => nice !== main),
      [15],
    );
  },
);

test('a thread erases the password that it received', async (t) => {
  const thread = startHashThread();
  t.after(() => thread.end());
  const password = new TextEncoder().encode('secret');
  await thread.derive({ ...CHEAP_COST, password, salt: Buffer.alloc(16), tagLength: 32 });
  assert.equal(password.length, 0);
});
