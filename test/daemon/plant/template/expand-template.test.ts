import assert from 'node:assert/strict';
import { test } from 'node:test';

import { formatPath } from '../../../../daemon/base/schema.ts';
import { expandTemplate } from '../../../../daemon/plant/template/expand-template.ts';
import type { Template } from '../../../../daemon/plant/template/template.ts';
import { makeTemplate } from './template-fixture.ts';

function expand(template: Template, parameters: unknown = {}, others: readonly Template[] = []) {
  const templates = new Map([template, ...others].map((each) => [each.name, each]));
  return expandTemplate({ template, parameters, templates });
}

function listChannels(template: Template, parameters: unknown = {}, others: readonly Template[] = []) {
  const { value, faults } = expand(template, parameters, others);
  assert.ok(value, JSON.stringify(faults));
  return value.map(({ channel }) => channel);
}

function getFault(template: Template, parameters: unknown = {}, others: readonly Template[] = []) {
  const { faults = [] } = expand(template, parameters, others);
  assert.equal(faults.length, 1, JSON.stringify(faults));
  return faults[0] ?? { path: [], message: '', reasons: [] };
}

test('expandTemplate fills parameters in, and keeps their type', () => {
  assert.deepEqual(listChannels(makeTemplate({}), { unitId: 12 })[0]?.['address'], {
    unitId: 12,
    table: 'INPUT_REGISTERS',
    offset: 10,
    dataType: 'INT16',
  });
});

test('expandTemplate names the place of each channel', () => {
  const template = makeTemplate({
    channels: [{ name: 'a' }, { repeat: { index: 'n', to: 2 }, channels: [{ name: 'b$n' }] }],
  });
  assert.deepEqual(
    expand(template).value?.map(({ place }) => `${place.template}: ${formatPath(place.path)}`),
    [
      'example-meter: channels[0]',
      'example-meter: channels[1].channels[0]',
      'example-meter: channels[1].channels[0]',
    ],
  );
});

test('expandTemplate repeats a group by a counter, and groups inside it', () => {
  const template = makeTemplate({
    parameters: { inputs: { type: 'integer', default: 2, description: 'd' } },
    channels: [
      {
        repeat: { index: 'card', from: 0, to: 1 },
        channels: [
          {
            repeat: { index: 'input', to: '$inputs' },
            channels: [{ name: 'di${card}at$input', address: { offset: '=16 * $card + $input - 1' } }],
          },
        ],
      },
    ],
  });
  assert.deepEqual(
    listChannels(template).map(({ name, address }) => [name, (address as { offset: number }).offset]),
    [
      ['di0at1', 0],
      ['di0at2', 1],
      ['di1at1', 16],
      ['di1at2', 17],
    ],
  );
  assert.deepEqual(listChannels(template, { inputs: 0 }), []);
});

test('expandTemplate repeats a group with sets of values', () => {
  const each = [
    { phase: 'L1', at: 0 },
    { phase: 'L3', at: 4 },
  ];
  const template = makeTemplate({
    channels: [{ repeat: { each }, channels: [{ name: 'u$phase', address: { offset: '=$at' } }] }],
  });
  assert.deepEqual(listChannels(template), [
    { name: 'uL1', address: { offset: 0 } },
    { name: 'uL3', address: { offset: 4 } },
  ]);
});

test('expandTemplate takes the channels of another template over, with parameters of its own', () => {
  const block = makeTemplate({
    name: 'block',
    parameters: { base: { type: 'integer', description: 'd' } },
    channels: [{ name: 'at$base', address: { offset: '=$base + 1' } }],
  });
  const outer = makeTemplate({
    channels: [
      { repeat: { index: 'n', to: 2 }, channels: [{ template: 'block', parameters: { base: '=10 * $n' } }] },
    ],
  });
  assert.deepEqual(listChannels(outer, {}, [block]), [
    { name: 'at10', address: { offset: 11 } },
    { name: 'at20', address: { offset: 21 } },
  ]);
});

test('expandTemplate reports the parameters that do not fit, each at its name', () => {
  const template = makeTemplate({
    parameters: {
      unitId: { type: 'integer', default: 1, maximum: 247, description: 'd' },
      zone: { type: 'string', description: 'd' },
    },
  });
  const { faults = [] } = expand(template, { unitID: 3, unitId: 300 });
  assert.deepEqual(
    faults.map(({ path, message, reasons }) => [path.join('.'), message, reasons.map(({ code }) => code)]),
    [
      [
        'parameters.unitID',
        'is not a parameter of the template; did you mean "unitId"?',
        ['PARAMETER_UNKNOWN', 'KEY_SIMILAR'],
      ],
      ['parameters.unitId', 'expected a whole number, at most 247', ['EXPECTED_KIND_AT_MOST']],
      ['parameters.zone', 'is missing; expected a text', ['MISSING', 'EXPECTED_KIND']],
    ],
  );
});

test('expandTemplate takes a text for no number, and only own keys for parameters', () => {
  assert.deepEqual(getFault(makeTemplate({}), { unitId: '1' }).path, ['parameters', 'unitId']);
  const needy = makeTemplate({ parameters: { toString: { type: 'string', description: 'd' } } });
  assert.match(getFault(needy).message, /^is missing/);
  assert.deepEqual(getFault(makeTemplate({}), 5).path, ['parameters']);
});

test('expandTemplate names template and place of a text that cannot be worked out', () => {
  const template = makeTemplate({ channels: [{ name: 'a', address: { list: [1, '$unit'] } }] });
  const { path, message } = getFault(template);
  assert.deepEqual(path, []);
  assert.match(
    message,
    /^template "example-meter", channels\[0\]\.address\.list\[1\]: .*did you mean "\$unitId"/,
  );
});

test('expandTemplate refuses a template that includes itself, and names the chain', () => {
  const a = makeTemplate({ name: 'a', channels: [{ template: 'b' }] });
  const b = makeTemplate({ name: 'b', channels: [{ template: 'a' }] });
  assert.match(getFault(a, {}, [b]).message, /includes itself: a > b > a/);
  const self = makeTemplate({ name: 'self', channels: [{ template: 'self' }] });
  assert.match(getFault(self).message, /includes itself: self > self/);
});

test('expandTemplate refuses ten thousand channels, however they come about', () => {
  const flat = makeTemplate({
    channels: [{ repeat: { index: 'n', to: 10_000 }, channels: [{ name: 'c$n' }] }],
  });
  assert.match(
    getFault(flat).message,
    /channels\[0\]\.repeat: expected at most 5000 repetitions, found 10000/,
  );
  const nested = makeTemplate({
    channels: [
      {
        repeat: { index: 'n', to: 100 },
        channels: [{ repeat: { index: 'm', to: 100 }, channels: [{ name: 'c${n}x$m' }] }],
      },
    ],
  });
  assert.match(getFault(nested).message, /more than 5000 channels/);
});

test('expandTemplate ends with templates that double each other and have no channel', () => {
  const names = Array.from({ length: 8 }, (_, index) => `t${index}`);
  const templates = names.map((name, index) =>
    makeTemplate({
      name,
      channels:
        index === 7
          ? [{ repeat: { index: 'n', to: 0 }, channels: [{ name: 'never' }] }]
          : Array.from({ length: 20 }, () => ({ template: `t${index + 1}` })),
    }),
  );
  const [first = makeTemplate({}), ...others] = templates;
  assert.match(getFault(first, {}, others).message, /more than 20000 repetitions/);
});

test('expandTemplate bounds the text that its channels have together', () => {
  const description = `${'x'.repeat(10_000)}$n`;
  const template = makeTemplate({
    channels: [{ repeat: { index: 'n', to: 1000 }, channels: [{ name: 'c$n', description }] }],
  });
  assert.match(getFault(template).message, /more than 8000000 characters/);
});

test('expandTemplate refuses a counter with the name of a parameter', () => {
  const template = makeTemplate({
    channels: [{ repeat: { index: 'unitId', to: 2 }, channels: [{ name: 'a' }] }],
  });
  assert.match(getFault(template).message, /"unitId" is already defined/);
});

test('expandTemplate refuses a number of turns that is none', () => {
  for (const to of ['=0.5 * $unitId', '$zone', 'three']) {
    const template = makeTemplate({
      parameters: {
        unitId: { type: 'integer', default: 1, description: 'd' },
        zone: { type: 'string', default: 'z', description: 'd' },
      },
      channels: [{ repeat: { index: 'n', to }, channels: [{ name: 'a' }] }],
    });
    assert.match(getFault(template).message, /repeat\.to: expected a whole number/, to);
  }
});

test('expandTemplate says which other template is missing, does not fit, or lacks a parameter', () => {
  const other = makeTemplate({ name: 'other', driver: 'opcua' });
  const needy = makeTemplate({
    name: 'needy',
    parameters: { base: { type: 'integer', description: 'd' } },
  });
  const outer = (template: string) => makeTemplate({ channels: [{ template }] });
  assert.match(
    getFault(outer('ohter'), {}, [other]).message,
    /unknown template "ohter"; did you mean "other"/,
  );
  assert.match(getFault(outer('other'), {}, [other]).message, /requires driver type opcua/);
  assert.match(getFault(outer('needy'), {}, [needy]).message, /channels\[0\]\.parameters\.base: is missing/);
});
