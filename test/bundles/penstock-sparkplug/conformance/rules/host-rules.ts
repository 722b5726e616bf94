import type { Rule } from '../rule.ts';
import { connectionsOf, isMessage, messagesOf, verbOf } from '../session.ts';
import type { DeliveryEvent, Session, SessionEvent } from '../session.ts';

/** What the state of a primary host changes. */
export const HOST_RULES: readonly Rule[] = [
  {
    title: 'the state of the primary host is subscribed to before the NBIRTH',
    kept: 'The NBIRTH waits for the SUBACK.',
    statements: ['operational-behavior-primary-application-state-with-multiple-servers-state-subs'],
    check(session, findings) {
      if (session.primaryHost === undefined) return;
      for (const events of connectionsOf(session)) {
        const birth = events.findIndex((event) => isMessage(event, 'NBIRTH'));
        if (birth === -1) continue;
        const isSubscribed = events
          .slice(0, birth)
          .some(
            (event) =>
              event.type === 'subscribe' &&
              event.filters.some(({ filter }) => filter === stateTopic(session)),
          );
        findings.expect(isSubscribed, 'births without a subscription to STATE');
      }
    },
  },
  {
    title: 'births wait until the primary host, and no other, is online by its newest state',
    kept: 'The NBIRTH waits for a state that is online, of the configured host, and not older than the last one.',
    statements: [
      'operational-behavior-edge-node-birth-sequence-wait',
      'message-flow-edge-node-birth-publish-phid-wait',
      'message-flow-edge-node-birth-publish-phid-wait-id',
      'message-flow-edge-node-birth-publish-phid-wait-online',
      'message-flow-edge-node-birth-publish-phid-wait-timestamp',
    ],
    check(session, findings) {
      for (const { event, host } of withHost(session)) {
        if (!isMessage(event, 'NBIRTH', 'DBIRTH')) continue;
        findings.expect(host.wasOnline, `${event.topic} without a host that is online`);
        findings.expect(!host.isKnownOffline, `${event.topic} after the host went offline`);
      }
    },
  },
  {
    title: 'after the primary host went offline, an NDEATH and the end of the connection follow',
    kept: 'An offline state stops sending in the same turn, and ends the connection.',
    statements: [
      'message-flow-edge-node-birth-publish-phid-offline',
      'operational-behavior-edge-node-termination-host-offline',
    ],
    check(session, findings) {
      for (const { rest, isBorn } of offlineStates(session)) {
        if (!isBorn) continue;
        const messages = messagesOf(rest);
        const last = messages.at(-1);
        findings.expect(last !== undefined && verbOf(last) === 'NDEATH', 'no NDEATH at the end');
        findings.expect(
          rest.some(({ type }) => type === 'disconnect' || type === 'closed'),
          'the connection goes on',
        );
        const acknowledged = rest.findIndex(({ type }) => type === 'acknowledge');
        for (const message of acknowledged === -1 ? [] : messagesOf(rest.slice(acknowledged))) {
          findings.expect(verbOf(message) === 'NDEATH', `${message.topic} after the offline state`);
        }
      }
    },
  },
  {
    title: 'after the primary host went offline, the next broker is tried',
    kept: 'An offline state moves on in the list of brokers, from the last one to the first.',
    statements: [
      'operational-behavior-edge-node-termination-host-offline-reconnect',
      'operational-behavior-primary-application-state-with-multiple-servers-walk',
    ],
    check(session, findings) {
      const { brokers, events } = session;
      if (brokers.length < 2) return;
      for (const { state } of offlineStates(session)) {
        const next = events.find(
          ({ type, connection }) => type === 'connect' && connection === state.connection + 1,
        );
        if (next === undefined) continue;
        const expected = brokers[(brokers.indexOf(state.broker) + 1) % brokers.length];
        findings.expect(next.broker === expected, `${next.broker} after ${state.broker}`);
      }
    },
  },
  {
    title: 'an offline state that is older than the last online state changes nothing',
    kept: 'The time of the newest state is kept for each broker.',
    statements: ['operational-behavior-edge-node-termination-host-offline-timestamp'],
    check(session, findings) {
      for (const { event, host, index } of withHost(session)) {
        if (event !== host.ignored) continue;
        const rest = session.events
          .slice(index + 1)
          .filter(({ connection }) => connection === event.connection);
        const [next] = messagesOf(rest);
        findings.expect(next !== undefined && verbOf(next) !== 'NDEATH', 'an end after an old state');
      }
    },
  },
];

/** What an edge node has to think of its primary host. */
interface Host {
  /** True if it was online at some time of this connection. */
  wasOnline: boolean;
  isOnline: boolean;
  /** Number of the message that is the last state. */
  messageId: number | undefined;
  /** True if the edge node acknowledged an offline state, and no other one counted since. */
  isKnownOffline: boolean;
  /** The last state, unless it counted. */
  ignored: SessionEvent | undefined;
}

const NO_HOST: Host = {
  wasOnline: false,
  isOnline: false,
  messageId: undefined,
  isKnownOffline: false,
  ignored: undefined,
};

/** Walks through a session with a primary host; `host` is as it is after the event. */
function* withHost(
  session: Session,
): Generator<{ readonly event: SessionEvent; readonly index: number; readonly host: Host }> {
  if (session.primaryHost === undefined) return;
  const newest = new Map<string, number>();
  let host = NO_HOST;
  for (const [index, event] of session.events.entries()) {
    if (event.type === 'connect') host = NO_HOST;
    if (event.type === 'delivery' && event.topic === stateTopic(session)) {
      const state = parseState(event.text ?? '');
      if (state !== undefined && state.timestamp >= (newest.get(event.broker) ?? 0)) {
        newest.set(event.broker, state.timestamp);
        host = {
          wasOnline: host.wasOnline || state.isOnline,
          isOnline: state.isOnline,
          messageId: event.messageId,
          isKnownOffline: false,
          ignored: undefined,
        };
      } else if (host.isOnline) {
        host = { ...host, ignored: event };
      }
    }
    if (event.type === 'acknowledge' && event.messageId === host.messageId && !host.isOnline)
      host = { ...host, isKnownOffline: true };
    yield { event, index, host };
  }
}

/** Lists the states that end a connection, with what follows in it. */
function offlineStates(session: Session): readonly {
  readonly state: DeliveryEvent;
  readonly rest: readonly SessionEvent[];
  readonly isBorn: boolean;
}[] {
  const found = [];
  let wasOnline = false;
  for (const { event, index, host } of withHost(session)) {
    if (wasOnline && !host.isOnline && event.type === 'delivery') {
      const isInConnection = ({ connection }: SessionEvent): boolean => connection === event.connection;
      found.push({
        state: event,
        rest: session.events.slice(index + 1).filter(isInConnection),
        isBorn: session.events
          .slice(0, index)
          .some((each) => isInConnection(each) && isMessage(each, 'NBIRTH')),
      });
    }
    wasOnline = host.isOnline;
  }
  return found;
}

function stateTopic({ primaryHost = '' }: Session): string {
  return `spBv1.0/STATE/${primaryHost}`;
}

function parseState(text: string): { readonly isOnline: boolean; readonly timestamp: number } | undefined {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof parsed !== 'object' || parsed === null) return undefined;
  if (!('online' in parsed) || typeof parsed.online !== 'boolean') return undefined;
  if (!('timestamp' in parsed) || typeof parsed.timestamp !== 'number') return undefined;
  return { isOnline: parsed.online, timestamp: parsed.timestamp };
}
