import type { Rule } from '../rule.ts';
import { birthsOf, deviceOf, messagesOf, parseTopic, VERBS, verbOf } from '../session.ts';
import type { Session } from '../session.ts';

/** Elements, verbs and names of topics. */
export const TOPIC_RULES: readonly Rule[] = [
  {
    title: 'every topic has the namespace spBv1.0, group, verb and edge node',
    kept: 'One function writes every topic.',
    statements: ['topic-structure', 'topic-structure-namespace-a'],
    check(session, findings) {
      for (const topic of topicsOf(session)) {
        const { namespace, group, verb, node } = parseTopic(topic);
        const isKnown = VERBS.some((each) => each === verb);
        const isWhole = group !== '' && node !== '' && [4, 5].includes(topic.split('/').length);
        findings.expect(namespace === 'spBv1.0' && isKnown && isWhole, topic);
      }
    },
  },
  {
    title: 'group, edge node and device are texts without reserved characters',
    kept: 'Settings with `+`, `/`, `#` or control characters are rejected; the gateway has no assets with such names.',
    statements: [
      'intro-group-id-string',
      'intro-group-id-chars',
      'intro-edge-node-id-string',
      'intro-edge-node-id-chars',
      'intro-device-id-string',
      'intro-device-id-chars',
      'topic-structure-namespace-valid-group-id',
      'topic-structure-namespace-valid-edge-node-id',
      'topic-structure-namespace-valid-device-id',
    ],
    check(session, findings) {
      for (const topic of topicsOf(session)) {
        const names = topic.split('/').slice(1);
        findings.expect(
          names.every((name) => name !== '' && !/[+#\0]/.test(name) && name.isWellFormed()),
          topic,
        );
      }
    },
  },
  {
    title: 'topics of device messages name a device, those of the edge node none',
    kept: 'The verb decides whether a topic has a fifth element.',
    statements: [
      'topic-structure-namespace-device-id-associated-message-types',
      'topic-structure-namespace-device-id-non-associated-message-types',
    ],
    check(session, findings) {
      for (const topic of topicsOf(session)) {
        const isOfDevice = verbOf({ topic }).startsWith('D');
        findings.expect(topic.split('/').length === (isOfDevice ? 5 : 4), topic);
      }
    },
  },
  ...[
    {
      verb: 'NBIRTH',
      statements: ['topics-nbirth-topic', 'message-flow-edge-node-birth-publish-nbirth-topic'],
    },
    { verb: 'NDATA', statements: ['topics-ndata-topic'] },
    {
      verb: 'DBIRTH',
      statements: [
        'topics-dbirth-topic',
        'message-flow-device-birth-publish-dbirth-topic',
        'message-flow-device-birth-publish-dbirth-match-edge-node-topic',
      ],
    },
    { verb: 'DDATA', statements: ['topics-ddata-topic'] },
    { verb: 'DDEATH', statements: ['topics-ddeath-topic'] },
  ].map(
    ({ verb, statements }) =>
      ({
        title: `${verb} has the topic of its edge node`,
        kept: 'Group and edge node come from the settings, and are constant.',
        statements,
        check(session, findings) {
          for (const { topic } of messagesOf(session.events, verb)) {
            findings.expect(isOfNode(topic, session), topic);
          }
        },
      }) satisfies Rule,
  ),
  {
    title: 'NDEATH has the topic of its edge node, in the will and published',
    kept: 'The will and the published message are made by the same function.',
    statements: ['topics-ndeath-topic', 'message-flow-edge-node-birth-publish-will-message-topic'],
    check(session, findings) {
      for (const topic of topicsOf(session).filter((each) => verbOf({ topic: each }) === 'NDEATH')) {
        findings.expect(isOfNode(topic, session), topic);
      }
      for (const event of session.events) {
        if (event.type === 'connect')
          findings.expect(
            verbOf({ topic: event.will?.topic ?? '' }) === 'NDEATH',
            'a will that is no NDEATH',
          );
      }
    },
  },
  {
    title: 'no two devices of an edge node have the same name',
    kept: 'A device is an asset, whose name is unique.',
    statements: ['topic-structure-namespace-unique-device-id'],
    check(session, findings) {
      for (const run of birthsOf(session)) {
        const live = new Set<string>();
        for (const message of messagesOf(run, 'DBIRTH', 'DDEATH')) {
          const device = deviceOf(message) ?? '';
          if (verbOf(message) === 'DDEATH') live.delete(device);
          else findings.expect(!live.has(device), `two births of ${device}`);
          if (verbOf(message) === 'DBIRTH') live.add(device);
        }
      }
    },
  },
  {
    title: 'names of devices and metrics differ in more than case',
    kept: 'Names are those of the configuration: choose some that differ in more than case.',
    statements: ['case-sensitivity-sparkplug-ids', 'case-sensitivity-metric-names'],
    check(session, findings) {
      for (const run of birthsOf(session)) {
        const devices = messagesOf(run, 'DBIRTH').map((message) => deviceOf(message) ?? '');
        findings.expect(differ([...new Set(devices)]), `devices ${devices.join(', ')}`);
        for (const message of messagesOf(run, 'NBIRTH', 'DBIRTH')) {
          const names = (message.payload?.metrics ?? []).map(({ name = '' }) => name);
          findings.expect(differ(names), `metrics of ${message.topic}`);
        }
      }
    },
  },
];

function topicsOf({ events }: Session): readonly string[] {
  return events.flatMap((event) => {
    if (event.type === 'connect') return event.will === undefined ? [] : [event.will.topic];
    return event.type === 'publish' ? [event.topic] : [];
  });
}

function isOfNode(topic: string, { group, node }: Session): boolean {
  const parts = parseTopic(topic);
  return parts.group === group && parts.node === node;
}

function differ(names: readonly string[]): boolean {
  return new Set(names.map((name) => name.toLowerCase())).size === names.length;
}
