import assert from 'node:assert/strict';
import { suite, test } from 'node:test';

import type { Plants } from './edits.ts';
import { makeSession } from './made-session.ts';
import type { Made } from './made-session.ts';
import { BIRTH_PLANTS } from './plants/birth-plants.ts';
import { CONNECTION_PLANTS } from './plants/connection-plants.ts';
import { END_PLANTS } from './plants/end-plants.ts';
import { HOST_PLANTS } from './plants/host-plants.ts';
import { MESSAGE_PLANTS } from './plants/message-plants.ts';
import { TOPIC_PLANTS } from './plants/topic-plants.ts';
import { VALUE_PLANTS } from './plants/value-plants.ts';
import { judge } from './rule.ts';
import { RULES } from './rules/rules.ts';

const PLANTS: Plants = {
  ...TOPIC_PLANTS,
  ...CONNECTION_PLANTS,
  ...BIRTH_PLANTS,
  ...MESSAGE_PLANTS,
  ...VALUE_PLANTS,
  ...HOST_PLANTS,
  ...END_PLANTS,
};

const KINDS: readonly Made[] = [{}, { version: 5 }, { hasAliases: false }, { hasHost: false }];

for (const made of KINDS) {
  test(`a session that keeps every rule violates none: ${JSON.stringify(made)}`, () => {
    const session = makeSession(made);
    for (const rule of RULES) assert.deepEqual(judge(rule, [session]).violations, [], rule.title);
  });
}

test('sessions of all kinds give each rule something to judge', () => {
  const sessions = KINDS.map((made) => makeSession(made));
  for (const rule of RULES) assert.ok(judge(rule, sessions).checked > 0, rule.title);
});

for (const rule of RULES) {
  suite(rule.title, () => {
    for (const { name, made = {}, plant } of PLANTS[rule.title] ?? []) {
      test(`sees a defect: ${name}`, () => {
        const session = structuredClone(makeSession(made));
        plant(session);
        assert.notDeepEqual(judge(rule, [session]).violations, []);
      });
    }
  });
}

test('every rule has defects that it sees', () => {
  assert.deepEqual(Object.keys(PLANTS).toSorted(), RULES.map(({ title }) => title).toSorted());
});
