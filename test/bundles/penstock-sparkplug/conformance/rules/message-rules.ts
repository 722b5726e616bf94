import type { Findings, Rule } from '../rule.ts';
import { birthsOf, isMessage, messagesOf, verbOf } from '../session.ts';
import type { Session } from '../session.ts';

/** Difference between clock of the recorder and time in a message that a busy machine explains. */
const TOLERANCE_MS = 30_000;

const FLAGS: Readonly<Record<string, readonly string[]>> = {
  NBIRTH: [
    'topics-nbirth-mqtt',
    'payloads-nbirth-qos',
    'payloads-nbirth-retain',
    'message-flow-edge-node-birth-publish-nbirth-qos',
    'message-flow-edge-node-birth-publish-nbirth-retained',
  ],
  DBIRTH: [
    'topics-dbirth-mqtt',
    'payloads-dbirth-qos',
    'payloads-dbirth-retain',
    'message-flow-device-birth-publish-dbirth-qos',
    'message-flow-device-birth-publish-dbirth-retained',
  ],
  NDATA: ['topics-ndata-mqtt', 'payloads-ndata-qos', 'payloads-ndata-retain'],
  DDATA: ['topics-ddata-mqtt', 'payloads-ddata-qos', 'payloads-ddata-retain'],
  DDEATH: ['topics-ddeath-mqtt'],
};

const SEQUENCES: Readonly<Record<string, readonly string[]>> = {
  DBIRTH: [
    'topics-dbirth-seq',
    'payloads-dbirth-seq',
    'payloads-dbirth-seq-inc',
    'message-flow-device-birth-publish-dbirth-payload-seq',
  ],
  NDATA: ['topics-ndata-seq-num', 'payloads-ndata-seq', 'payloads-ndata-seq-inc'],
  DDATA: ['topics-ddata-seq-num', 'payloads-ddata-seq', 'payloads-ddata-seq-inc'],
  DDEATH: [
    'topics-ddeath-seq-num',
    'payloads-ddeath-seq',
    'payloads-ddeath-seq-inc',
    'payloads-ddeath-seq-number',
  ],
};

const TIMES: Readonly<Record<string, readonly string[]>> = {
  NBIRTH: ['topics-nbirth-timestamp', 'payloads-nbirth-timestamp'],
  DBIRTH: ['topics-dbirth-timestamp', 'payloads-dbirth-timestamp'],
  NDATA: ['topics-ndata-timestamp', 'payloads-ndata-timestamp'],
  DDATA: ['topics-ddata-timestamp', 'payloads-ddata-timestamp'],
  DDEATH: ['payloads-ddeath-timestamp'],
};

/** What every message has: flags of MQTT, sequence number, time. */
export const MESSAGE_RULES: readonly Rule[] = [
  ...Object.entries(FLAGS).map(([verb, statements]): Rule => ({
    title: `${verb} has QoS 0 and is not retained`,
    kept: 'QoS and retain flag are constant.',
    statements,
    check(session, findings) {
      for (const { topic, qos, isRetained } of messagesOf(session.events, verb)) {
        findings.expect(qos === 0 && !isRetained, `${topic} with QoS ${qos}, retained: ${isRetained}`);
      }
    },
  })),
  {
    title: 'NBIRTH has the sequence number 0',
    kept: 'An NBIRTH resets the counter.',
    statements: [
      'topics-nbirth-seq-num',
      'payloads-nbirth-seq',
      'payloads-sequence-num-req-nbirth',
      'message-flow-edge-node-birth-publish-nbirth-payload-seq',
    ],
    check(session, findings) {
      for (const { payload } of messagesOf(session.events, 'NBIRTH')) {
        findings.expect(payload?.seq === '0', `seq ${payload?.seq ?? 'missing'}`);
      }
    },
  },
  ...Object.entries(SEQUENCES).map(([verb, statements]): Rule => ({
    title: `${verb} has the sequence number that follows`,
    kept: 'The number is taken when the bytes are written, and goes from 255 to 0.',
    statements,
    check: (session, findings) => checkSequence(session, findings, verb),
  })),
  {
    title: 'sequence numbers are without a gap, and only NDEATH has none',
    kept: 'One counter serves the messages of edge node and devices.',
    statements: ['payloads-sequence-num-always-included', 'payloads-sequence-num-incrementing'],
    check: (session, findings) => checkSequence(session, findings),
  },
  ...Object.entries(TIMES).map(([verb, statements]): Rule => ({
    title: `${verb} has the time at which it is sent`,
    kept: 'Milliseconds since the epoch, read when the message is encoded.',
    statements,
    check(session, findings) {
      for (const { payload, at, topic } of messagesOf(session.events, verb)) {
        const timestamp = Number(payload?.timestamp);
        findings.expect(Math.abs(timestamp - at) <= TOLERANCE_MS, `${topic}: ${timestamp} at ${at}`);
      }
    },
  })),
  {
    title: 'times are in UTC',
    kept: 'The clock of the gateway counts in UTC.',
    statements: ['payloads-timestamp-in-UTC', 'payloads-metric-timestamp-in-UTC'],
    check(session, findings) {
      for (const { payload, at, topic } of messagesOf(session.events)) {
        const times = [payload?.timestamp, ...(payload?.metrics ?? []).map(({ timestamp }) => timestamp)];
        for (const time of times) {
          // A zone east of Greenwich would be ahead; one west of it is seen in the times of messages.
          if (time !== undefined) findings.expect(Number(time) <= at + TOLERANCE_MS, `${topic}: ${time}`);
        }
        if (payload?.timestamp !== undefined)
          findings.expect(Number(payload.timestamp) >= at - TOLERANCE_MS, `${topic}: ${payload.timestamp}`);
      }
    },
  },
  {
    title: 'NBIRTH and DBIRTH are Sparkplug payloads',
    kept: 'The encoder writes the published schema.',
    statements: [
      'message-flow-edge-node-birth-publish-nbirth-payload',
      'message-flow-device-birth-publish-dbirth-payload',
    ],
    check(session, findings) {
      for (const { payload, topic } of messagesOf(session.events, 'NBIRTH', 'DBIRTH')) {
        findings.expect(payload !== undefined, topic);
      }
    },
  },
  ...[
    { title: 'NDATA follows all births', verbs: ['NDATA'], statements: ['payloads-ndata-order'] },
    { title: 'DDATA follows all births', verbs: ['DDATA'], statements: ['payloads-ddata-order'] },
    {
      title: 'DBIRTH of connected devices follow the NBIRTH at once',
      verbs: ['NDATA', 'DDATA'],
      statements: ['payloads-dbirth-order'],
    },
  ].map(({ title, verbs, statements }): Rule => ({
    title,
    kept: 'Births are one step of the sender. Only a device that connects later is born after data.',
    statements,
    check(session, findings) {
      for (const run of birthsOf(session)) {
        let data: string | undefined;
        const away = new Set(absentDevices(session));
        for (const event of run) {
          if (isMessage(event, ...verbs)) data ??= event.topic;
          if (isMessage(event, 'DDEATH')) away.add(event.topic.split('/')[4] ?? '');
          if (!isMessage(event, 'DBIRTH')) continue;
          const device = event.topic.split('/')[4] ?? '';
          findings.expect(data === undefined || away.has(device), `${data ?? ''} before ${event.topic}`);
        }
      }
    },
  })),
];

/** Lists the devices that a mark says to have been away. */
function absentDevices({ events }: Session): readonly string[] {
  return events.flatMap((event) => (event.type === 'lost' ? [event.device] : []));
}

/** Judges the numbers after each NBIRTH; those of messages with one verb if it is given. */
function checkSequence(session: Session, findings: Findings, verb?: string): void {
  for (const run of birthsOf(session)) {
    const messages = messagesOf(run);
    for (const [index, { topic, payload }] of messages.entries()) {
      if (verb !== undefined && verbOf({ topic }) !== verb) continue;
      if (verbOf({ topic }) === 'NDEATH') continue;
      const expected = String(index % 256);
      findings.expect(
        payload?.seq === expected,
        `${topic}: ${payload?.seq ?? 'none'} instead of ${expected}`,
      );
    }
  }
}
