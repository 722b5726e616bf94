import assert from 'node:assert/strict';

import * as fc from 'fast-check';

import { RightsCache } from '../../daemon/plant/access/rights-cache.ts';
import {
  decideRights,
  holds,
  isVisible,
  prepareGrants,
} from '../../daemon/security/identity/asset-rights.ts';
import { endOf } from '../../daemon/security/identity/grant.ts';
import type { Grant, GrantOperation } from '../../daemon/security/identity/grant.ts';
import { createPattern, PatternIndex } from '../../daemon/base/text/name-pattern.ts';
import type { Identity } from '../../daemon/security/identity/identity.ts';
import { propertyTest } from './property-test.ts';

// Few different characters, so that names and patterns meet; some of them are special elsewhere.
const character = fc.constantFrom('a', 'b', '-', '.', '?', '[', '\\', '😀');
const name = fc.string({ unit: character, minLength: 1, maxLength: 8 });
const pattern = fc.string({ unit: fc.oneof(character, fc.constant('*')), minLength: 1, maxLength: 8 });

/** Tries every run of characters that a star can stand for. */
function matchesSlowly(wanted: string, text: string): boolean {
  const [first = '', ...others] = wanted;
  if (wanted === '') return text === '';
  if (first !== '*')
    return text.startsWith(first) && matchesSlowly(others.join(''), text.slice(first.length));
  return Array.from({ length: text.length + 1 }, (_, length) => text.slice(length)).some((rest) =>
    matchesSlowly(others.join(''), rest),
  );
}

propertyTest(
  'a pattern matches what its stars can be filled to, and nothing else',
  fc.property(pattern, name, (wanted, text) => {
    assert.equal(createPattern(wanted)(text), matchesSlowly(wanted, text));
  }),
  20,
);

propertyTest(
  'a pattern matches every name that is made from it',
  fc.property(pattern, fc.array(name, { minLength: 8, maxLength: 8 }), (wanted, fillings) => {
    let filling = 0;
    const text = wanted.replaceAll('*', () => fillings[(filling += 1) % fillings.length] ?? '');
    assert.ok(createPattern(wanted)(text));
  }),
);

propertyTest(
  'an index finds the values of exactly the patterns that match',
  fc.property(fc.array(pattern, { maxLength: 8 }), name, (patterns, text) => {
    const index = new PatternIndex(patterns.map((each, value) => [each, value] as const));
    const expected = patterns.flatMap((each, value) => (matchesSlowly(each, text) ? [value] : []));
    assert.deepEqual(index.find(text), new Set(expected));
    assert.equal(index.has(text), expected.length > 0);
  }),
);

const START_MS = Date.parse('2026-12-01T18:00:00Z');
const MOMENTS = [-1, 0, 1, 1000].map((offsetMs) => START_MS + offsetMs);
const moment = fc.constantFrom(...MOMENTS);
const operations = fc.constantFrom<readonly GrantOperation[]>(['READ'], ['WRITE'], ['READ', 'WRITE']);
const patterns = fc.array(pattern, { minLength: 1, maxLength: 2 });
const grant: fc.Arbitrary<Grant> = fc.record(
  { assets: patterns, channels: patterns, operations, until: moment.map((ms) => new Date(ms).toISOString()) },
  { requiredKeys: ['assets', 'operations'] },
);
const asset = fc.record({
  pid: name,
  channels: fc.uniqueArray(name, { maxLength: 4 }).map((names) => names.map((each) => ({ name: each }))),
});

/** Looks at every grant for one channel. */
function isGrantedSlowly(
  grants: readonly Grant[],
  place: { readonly pid: string; readonly channel: string },
  operation: GrantOperation,
  nowMs: number,
): boolean {
  return grants.some(
    (each) =>
      nowMs < endOf(each) &&
      each.operations.includes(operation) &&
      each.assets.some((wanted) => matchesSlowly(wanted, place.pid)) &&
      (each.channels ?? ['*']).some((wanted) => matchesSlowly(wanted, place.channel)),
  );
}

propertyTest(
  'rights hold for the channels that a grant in force names, and for no other',
  fc.property(fc.array(grant, { maxLength: 5 }), asset, moment, (grants, place, nowMs) => {
    const rights = decideRights(prepareGrants(grants), place, nowMs);
    for (const [operation, set] of [
      ['READ', rights.readable],
      ['WRITE', rights.writable],
    ] as const) {
      for (const channel of place.channels) {
        const expected = isGrantedSlowly(grants, { pid: place.pid, channel: channel.name }, operation, nowMs);
        assert.equal(holds(set, channel.name), expected);
        if (expected) assert.ok(isVisible(rights));
      }
    }
  }),
  5,
);

propertyTest(
  'what is remembered is what would be decided anew, whichever way the clock goes',
  fc.property(
    fc.array(grant, { maxLength: 5 }),
    fc.boolean(),
    asset,
    fc.array(moment, { minLength: 1, maxLength: 6 }),
    (grants, mayReadAll, place, moments) => {
      const identity: Identity = {
        id: '1',
        name: 'panel',
        permissions: mayReadAll ? ['rest.assets.read'] : [],
        grants,
        passwordChangeNeeded: false,
        credentialsRevision: 1,
        createdAtMs: 0,
      };
      const cache = new RightsCache();
      for (const nowMs of moments) {
        const rights = cache.rightsOf(identity, place, nowMs);
        const fresh = new RightsCache().rightsOf({ ...identity }, place, nowMs);
        assert.deepEqual(rights, fresh);
      }
    },
  ),
  3,
);
