import assert from 'node:assert/strict';
import { test } from 'node:test';

import { checkTemplate } from '../../../../daemon/plant/template/check-template.ts';
import { LoadedTemplates } from '../../../../daemon/plant/template/loaded-templates.ts';
import { createDriverFactories } from '../../../../drivers/index.ts';
import { makeTemplate, METER } from './template-fixture.ts';

const FACTORIES = createDriverFactories();

function check(keys: Readonly<Record<string, unknown>>) {
  const template = makeTemplate(keys);
  const loaded = new LoadedTemplates([template.name]);
  loaded.add(template.name, { template, content: {} });
  return checkTemplate(template, loaded, FACTORIES);
}

test('checkTemplate gives the channels of a good template with its defaults', () => {
  const { faults, channels, isDriverKnown } = check({});
  assert.deepEqual([faults, isDriverKnown], [[], true]);
  assert.deepEqual(
    channels.map(({ channel }) => channel['name']),
    ['power'],
  );
});

test('checkTemplate checks addresses as the driver does, at the place in the template', () => {
  const [channel] = METER.channels;
  const channels = [{ ...channel, address: { ...channel.address, offset: 65_535, dataType: 'INT32' } }];
  assert.match(check({ channels }).faults[0] ?? '', /^template "example-meter", channels\[0\]\.address/);
  const misspelled = [{ ...channel, valueTyp: 'X' }];
  assert.match(
    check({ channels: misspelled }).faults.join(),
    /channels\[0\]\.valueTyp: .*did you mean "valueType"/,
  );
});

test('checkTemplate finds what fails only at the bounds of a parameter', () => {
  const [channel] = METER.channels;
  const parameters = {
    base: { type: 'integer', default: 0, minimum: 0, maximum: 70_000, description: 'd' },
  };
  const channels = [{ ...channel, address: { ...channel.address, unitId: 1, offset: '$base' } }];
  assert.match(check({ parameters, channels }).faults.join(), /channels\[0\]\.address\.offset/);
});

test('checkTemplate finds names that come twice', () => {
  const [channel] = METER.channels;
  assert.deepEqual(check({ channels: [channel, channel] }).faults, [
    'template "example-meter", channels[1].name: "power" is used twice',
  ]);
});

test('checkTemplate checks what it can of a template whose driver is not known here', () => {
  const { faults, isDriverKnown } = check({ driver: 'of-a-bundle' });
  assert.deepEqual([faults, isDriverKnown], [[], false]);
});

test('checkTemplate finds scales that the template does not have', () => {
  const [channel] = METER.channels;
  const scaled = { ...channel, scaleFrom: { channel: 'powerScale' } };
  assert.deepEqual(check({ channels: [scaled] }).faults, [
    'template "example-meter", channels[0].scaleFrom.channel: unknown channel "powerScale"',
  ]);
  assert.deepEqual(check({ channels: [scaled, { ...channel, name: 'powerScale' }] }).faults, []);
});
