import type { Rule } from '../rule.ts';
import { connectionsOf, deviceOf, isMessage, messagesOf, verbOf } from '../session.ts';
import type { ConnectEvent, Session, SessionEvent } from '../session.ts';
import { bdSeqOf } from '../values.ts';

const DISCONNECT_WITH_WILL = 4;

/** CONNECT, the will, subscriptions, and the end of a connection. */
export const CONNECTION_RULES: readonly Rule[] = [
  {
    title: 'CONNECT of MQTT 3.1.1 sets Clean Session',
    kept: 'The flag is constant.',
    statements: ['principles-persistence-clean-session-311'],
    check(session, findings) {
      for (const { version, isClean } of connectsOf(session)) {
        if (version === 4) findings.expect(isClean, 'a session that is kept');
      }
    },
  },
  {
    title: 'CONNECT of MQTT 5 sets Clean Start, and no session expiry',
    kept: 'Both are constant.',
    statements: ['principles-persistence-clean-session-50'],
    check(session, findings) {
      for (const { version, isClean, sessionExpiry } of connectsOf(session)) {
        if (version === 5) findings.expect(isClean && (sessionExpiry ?? 0) === 0, 'a session that is kept');
      }
    },
  },
  {
    title: 'every CONNECT has a will',
    kept: 'A connection is opened with the NDEATH as its will.',
    statements: ['message-flow-edge-node-birth-publish-will-message', 'payloads-ndeath-will-message'],
    check(session, findings) {
      for (const { will } of connectsOf(session))
        findings.expect(will !== undefined, 'a CONNECT without will');
    },
  },
  {
    title: 'the will is a Sparkplug payload with QoS 1 that is not retained',
    kept: 'QoS and retain flag of the will are constant.',
    statements: [
      'message-flow-edge-node-birth-publish-will-message-payload',
      'message-flow-edge-node-birth-publish-will-message-qos',
      'message-flow-edge-node-birth-publish-will-message-will-retained',
      'payloads-ndeath-will-message-qos',
      'payloads-ndeath-will-message-retain',
    ],
    check(session, findings) {
      for (const { will } of connectsOf(session)) {
        if (will === undefined) continue;
        findings.expect(will.payload !== undefined, 'a will that cannot be decoded');
        findings.expect(will.qos === 1, `a will with QoS ${will.qos}`);
        findings.expect(!will.isRetained, 'a retained will');
      }
    },
  },
  {
    title: 'bdSeq begins with 0, and is one higher in every CONNECT, 0 after 255',
    kept: 'bdSeq is stored on disk before each CONNECT. A number that was sent to no broker is used next.',
    statements: [
      'message-flow-edge-node-birth-publish-will-message-payload-bdSeq',
      'topics-nbirth-bdseq-increment',
    ],
    check(session, findings) {
      let expected = 0;
      for (const { will } of connectsOf(session)) {
        const bdSeq = bdSeqOf(will?.payload);
        findings.expect(bdSeq === expected, `bdSeq ${bdSeq ?? 'missing'} instead of ${expected}`);
        expected = ((bdSeq ?? expected) + 1) % 256;
      }
    },
  },
  {
    title: 'NCMD is subscribed to with QoS 1 before the NBIRTH',
    kept: 'The NBIRTH waits for the SUBACK.',
    statements: ['message-flow-edge-node-ncmd-subscribe'],
    check(session, findings) {
      const filter = `spBv1.0/${session.group}/NCMD/${session.node}`;
      for (const before of eventsBefore(session, 'NBIRTH')) {
        findings.expect(subscribes(before, filter), `no subscription to ${filter}`);
      }
    },
  },
  {
    title: 'DCMD of a device that can be written is subscribed to with QoS 1 before its DBIRTH',
    kept: 'The NBIRTH waits for the SUBACK of the commands of all devices.',
    statements: ['message-flow-device-dcmd-subscribe'],
    check(session, findings) {
      for (const events of connectionsOf(session)) {
        for (const birth of messagesOf(events, 'DBIRTH')) {
          const device = deviceOf(birth) ?? '';
          if (!session.writable.includes(device)) continue;
          const filter = `spBv1.0/${session.group}/DCMD/${session.node}/${device}`;
          findings.expect(subscribes(events.slice(0, events.indexOf(birth)), filter), `none to ${filter}`);
        }
      }
    },
  },
  {
    title: 'nothing is published before the broker accepted the connection',
    kept: 'The sender waits for CONNACK.',
    statements: ['message-flow-edge-node-birth-publish-connect'],
    check(session, findings) {
      for (const events of connectionsOf(session)) {
        const first = events.findIndex((event) => isMessage(event));
        const accepted = events.findIndex(({ type }) => type === 'accepted');
        if (first !== -1) findings.expect(accepted !== -1 && accepted < first, 'a message before CONNACK');
      }
    },
  },
  {
    title: 'the first message of a connection is an NBIRTH',
    kept: 'A connection begins in the state before its birth, in which only an NBIRTH is sent.',
    statements: ['principles-birth-certificates-order', 'message-flow-device-birth-publish-nbirth-wait'],
    check(session, findings) {
      for (const events of connectionsOf(session)) {
        const [first] = messagesOf(events);
        if (first !== undefined) findings.expect(verbOf(first) === 'NBIRTH', `first ${first.topic}`);
      }
    },
  },
  {
    title: 'an NDEATH is published right before a DISCONNECT',
    kept: 'A stop publishes the NDEATH, waits for the barrier, and disconnects.',
    statements: [
      'operational-behavior-edge-node-intentional-disconnect-ndeath',
      'operational-behavior-edge-node-intentional-disconnect-packet',
      'payloads-ndeath-will-message-publisher',
      'payloads-ndeath-will-message-publisher-disconnect-mqtt311',
    ],
    check(session, findings) {
      for (const events of connectionsOf(session)) {
        const messages = messagesOf(events);
        const end = events.find(({ type }) => type === 'disconnect');
        if (end === undefined || messages.length === 0) continue;
        const last = messages.at(-1);
        findings.expect(
          last !== undefined && verbOf(last) === 'NDEATH',
          `DISCONNECT after ${last?.topic ?? ''}`,
        );
      }
    },
  },
  {
    title: 'a DISCONNECT of MQTT 5 leaves the will',
    kept: 'The reason code is constant: disconnect with will.',
    statements: ['payloads-ndeath-will-message-publisher-disconnect-mqtt50'],
    check(session, findings) {
      for (const events of connectionsOf(session)) {
        const connect = events.find(({ type }) => type === 'connect');
        for (const event of events) {
          if (event.type !== 'disconnect' || connect?.type !== 'connect' || connect.version !== 5) continue;
          findings.expect(event.reasonCode === DISCONNECT_WITH_WILL, `reason ${event.reasonCode ?? 'none'}`);
        }
      }
    },
  },
  {
    title: 'there is at most one connection at a time',
    kept: 'The next connection is opened after the previous one was closed.',
    statements: ['operational-behavior-primary-application-state-with-multiple-servers-single-server'],
    check({ events }, findings) {
      const open = new Set<number>();
      for (const { type, connection } of events) {
        if (type === 'connect') {
          findings.expect(open.size === 0, `connection ${connection} while open: ${[...open].join(', ')}`);
          open.add(connection);
        }
        if (type === 'closed' || type === 'disconnect') open.delete(connection);
      }
    },
  },
];

function connectsOf({ events }: Session): readonly ConnectEvent[] {
  return events.filter((event) => event.type === 'connect');
}

/** Lists, for each connection with such a message, the events before the first one. */
function eventsBefore(session: Session, verb: string): readonly SessionEvent[][] {
  return connectionsOf(session).flatMap((events) => {
    const index = events.findIndex((event) => isMessage(event, verb));
    return index === -1 ? [] : [events.slice(0, index)];
  });
}

function subscribes(events: readonly SessionEvent[], topic: string): boolean {
  return events.some(
    (event) =>
      event.type === 'subscribe' &&
      event.filters.some(({ filter, qos }) => qos === 1 && matches(filter, topic)),
  );
}

function matches(filter: string, topic: string): boolean {
  const parts = topic.split('/');
  const wanted = filter.split('/');
  for (const [index, part] of wanted.entries()) {
    if (part === '#') return true;
    if (part !== '+' && part !== parts[index]) return false;
  }
  return wanted.length === parts.length;
}
