import assert from 'node:assert/strict';
import { test } from 'node:test';

import * as fc from 'fast-check';

import {
  findTopicFault,
  parseTopicTemplate,
  TopicTemplateError,
} from '../../../../bundles/penstock-mqtt/message/topic-template.ts';
import type { TopicName } from '../../../../bundles/penstock-mqtt/message/topic-template.ts';
import { propertyTest } from '../../../property/property-test.ts';

const ALL: readonly TopicName[] = ['gateway', 'recorder', 'asset', 'channel'];
const parse = (text: string, allowed = ALL) => parseTopicTemplate('topic', text, allowed);

test('format replaces each name, also several times and within a level', () => {
  const template = parse('plant/{gateway}/{asset}-{channel}/{asset}');
  const topic = template.format({ gateway: 'north', asset: 'boiler', channel: 'flow' });
  assert.equal(topic, 'plant/north/boiler-flow/boiler');
  assert.deepEqual([...template.names], ['gateway', 'asset', 'channel']);
});

for (const [text, expected] of [
  ['', /^topic: the topic is empty$/],
  ['a/+/b', /^topic: the wildcard "\+" is not allowed/],
  ['a/#', /^topic: the wildcard "#" is not allowed/],
  ['/a', /^topic: empty level in "\/a"$/],
  ['a/', /^topic: empty level in/],
  ['a//b', /^topic: empty level in "a\/\/b"$/],
  ['a\0b', /^topic: NUL is not allowed/],
  ['a/\ud800', /^topic: half of a surrogate pair/],
  ['a/{device}', /^topic: unknown name \{device\}; expected \{gateway\}, \{recorder\}/],
  ['a/{}', /^topic: unknown name \{\}/],
  ['a/{gateway', /^topic: unpaired brace in "a\/\{gateway"$/],
  ['a/gateway}', /^topic: unpaired brace/],
  ['a/{{gateway}}', /^topic: unpaired brace/],
  ['x'.repeat(1025), /^topic: longer than 1024 characters$/],
] as const) {
  test(`parseTopicTemplate refuses ${JSON.stringify(text.slice(0, 20))}, naming the setting and the fault`, () => {
    assert.throws(() => parse(text), { name: 'TopicTemplateError', message: expected });
  });
}

test('parseTopicTemplate refuses a name that this topic does not have', () => {
  assert.throws(() => parse('a/{asset}', ['gateway']), /unknown name \{asset\}; expected \{gateway\}$/);
});

test('format throws if the topic is longer than a topic may be', () => {
  const template = parse('{asset}/'.repeat(100) + 'x');
  assert.throws(() => template.format({ asset: 'é'.repeat(400) }), RangeError);
});

test('findTopicFault accepts what a client may publish to', () => {
  assert.equal(findTopicFault('a/b'), undefined);
  assert.match(findTopicFault('a/+') ?? '', /wildcard/);
  assert.match(findTopicFault('x'.repeat(65_536)) ?? '', /longer than 65535 bytes/);
});

propertyTest(
  'a template is refused with the name of its setting, or its topics can be published to, one level each',
  fc.property(
    fc.string({ unit: fc.constantFrom('a', '/', '{asset}', '{gateway}', '{', '}', '+', '#', '\0') }),
    fc.string(),
    fc.string(),
    (text, asset, gateway) => {
      try {
        const values = { asset: asset.toWellFormed(), gateway: gateway.toWellFormed() };
        const topic = parse(text).format(values);
        if (topic !== '') assert.equal(findTopicFault(topic), undefined);
        assert.equal(topic.split('/').length, text.split('/').length);
      } catch (error) {
        assert.ok(error instanceof TopicTemplateError);
        assert.match(error.message, /^topic: /);
      }
    },
  ),
);

propertyTest(
  'two assets never share a topic',
  fc.property(fc.string({ minLength: 1 }), fc.string({ minLength: 1 }), (one, other) => {
    const template = parse('p/{asset}');
    assert.equal(template.format({ asset: one }) === template.format({ asset: other }), one === other);
  }),
);
