import assert from 'node:assert/strict';
import { test } from 'node:test';

import { resolveText, TemplateTextError } from '../../../../daemon/plant/template/template-text.ts';
import type { TemplateValue } from '../../../../daemon/plant/template/template-parameters.ts';

const VALUES = new Map<string, TemplateValue>([
  ['unitId', 7],
  ['phase', 'L1'],
  ['scale', 0.1],
  ['isFitted', true],
]);

const CASES: readonly (readonly [string, TemplateValue])[] = [
  ['a text without parameters', 'a text without parameters'],
  ['$unitId', 7],
  ['${unitId}', 7],
  ['$isFitted', true],
  ['voltage$phase', 'voltageL1'],
  ['voltage${phase}N', 'voltageL1N'],
  ['unit $unitId of $phase', 'unit 7 of L1'],
  ['$$01M', '$01M'],
  ['=100 + 2 * $unitId', 114],
  ['=$unitId * 10 - 1', 69],
  ['=100-2*3-$unitId', 87],
  ['=-$unitId + 10', 3],
  ['=2 * 3 * $scale', 0.6],
  ['=${unitId}*2', 14],
  ['=10 - -2', 12],
  ['==1', '=1'],
];

for (const [text, expected] of CASES) {
  test(`resolveText gives ${JSON.stringify(expected)} for ${text}`, () => {
    assert.deepEqual(resolveText(text, VALUES), expected);
  });
}

const REFUSED: readonly (readonly [string, RegExp])[] = [
  ['$unitID', /did you mean "\$unitId"/],
  ['$other', /unknown name "other"/],
  ['${}', /unknown name ""/],
  ['costs 5 $', /write \$\$/],
  ['=', /expected arithmetic/],
  ['=1 +', /expected arithmetic/],
  ['=1 2', /expected arithmetic/],
  ['=(1 + 2)', /expected arithmetic/],
  ['=${unitId + 1', /expected arithmetic/],
  ['=$unitId} + 1', /expected arithmetic/],
  ['=1 / 2', /expected arithmetic/],
  ['=constructor', /expected arithmetic/],
  ['=2 * $phase', /\$phase is not a number/],
  [`=1${' + 1'.repeat(100)}`, /longer than 200/],
];

for (const [text, message] of REFUSED) {
  test(`resolveText refuses ${text.slice(0, 40)}`, () => {
    assert.throws(() => resolveText(text, VALUES), TemplateTextError);
    assert.throws(() => resolveText(text, VALUES), message);
  });
}

test('resolveText refuses arithmetic without a finite result', () => {
  const large = new Map<string, TemplateValue>([['large', Number.MAX_VALUE]]);
  assert.throws(() => resolveText('=$large * 10', large), /not finite/);
});

test('resolveText does not look into the values of parameters', () => {
  assert.equal(resolveText('a$text', new Map([['text', '$unitId']])), 'a$unitId');
});
