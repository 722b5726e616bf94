import assert from 'node:assert/strict';

import { startMosquitto } from '../../../support/mosquitto.ts';
import { testsThatNeed } from '../../../support/tests-that-need.ts';
import { judge } from './rule.ts';
import { RULES } from './rules/rules.ts';
import { SCENARIOS } from './scenarios.ts';
import type { Session } from './session.ts';

const { after, before, test } = testsThatNeed('mosquitto');

/** Rules of what is not sent: no NDATA, since the metrics of the edge node do not change. */
const WITHOUT_CASE: ReadonlySet<string> = new Set([
  'NDATA has the topic of its edge node',
  'NDATA has only metrics of the last NBIRTH',
  'NDATA has QoS 0 and is not retained',
  'NDATA has the sequence number that follows',
  'NDATA has the time at which it is sent',
  'NDATA has only values that changed',
]);

const sessions = new Map<string, Session>();

const cleanUps: (() => unknown)[] = [];
const owner = { after: (cleanUp: () => unknown) => void cleanUps.push(cleanUp) };

before(async () => {
  await Promise.all(
    Object.entries(SCENARIOS).map(async ([name, record]) =>
      sessions.set(name, await record(owner, startMosquitto)),
    ),
  );
});

after(async () => {
  for (const cleanUp of cleanUps.toReversed()) await cleanUp();
});

for (const rule of RULES) {
  test(rule.title, () => {
    let checked = 0;
    for (const [name, session] of sessions) {
      const findings = judge(rule, [session]);
      assert.deepEqual(findings.violations, [], name);
      checked += findings.checked;
    }
    if (WITHOUT_CASE.has(rule.title)) assert.equal(checked, 0);
    else assert.ok(checked > 0, 'no session has a case of it');
  });
}
