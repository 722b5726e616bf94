import { hidePaths } from '../../../base/text/hide-paths.ts';
import type { EventLog, LoggedEvent } from '../../event/event-log.ts';
import type { GatewayEvent } from '../../event/gateway-event.ts';
import { eventStream } from '../../http/answer.ts';
import type { EventFlow, EventSink, StreamEvent } from '../../http/stream/event-stream.ts';
import { findLastEventId } from '../../http/stream/event-stream.ts';
import { implement } from '../../http/implement.ts';
import type { Route } from '../../http/route.ts';
import { followEvents } from '../../../interface/plant/events.ts';

/** Creates the endpoint that sends the events of the gateway. */
export function createEventRoutes(log: EventLog): readonly Route[] {
  return [
    implement(followEvents, ({ request }) => {
      const lastEventId = findLastEventId(request);
      return eventStream((sink) => openFlow(log, lastEventId, sink));
    }),
  ];
}

/** Sends the events after the one that the client names; without one those from now on. */
function openFlow(log: EventLog, lastEventId: string | undefined, sink: EventSink): EventFlow {
  const known = lastEventId === undefined ? log.end : log.findPosition(lastEventId);
  let place = known ?? log.start;
  if (known === undefined) sink.send({ type: 'gap', data: JSON.stringify({ reason: 'ID_UNKNOWN' }) });
  // The client keeps an id without data, and so can resume before there was any event.
  else sink.send({ id: log.toId(place) });

  function resume(): void {
    while (place < log.end && !sink.isFull) {
      if (place < log.start) {
        place = log.start;
        sink.send({ type: 'gap', data: JSON.stringify({ reason: 'HISTORY_EXCEEDED' }) });
      }
      const next = log.findAfter(place);
      place += 1;
      if (next !== undefined) sink.send(toStreamEvent(next));
    }
  }

  resume();
  return { resume, stop: log.watch(resume) };
}

function toStreamEvent({ id, timeMs: time, event }: LoggedEvent): StreamEvent {
  const { type, ...fields } = withoutPaths(event);
  return { id, type, data: JSON.stringify({ type, time, ...fields }) };
}

// Who hears of packages need not know where on the gateway they and the devices of their bundles lie.
function withoutPaths(event: GatewayEvent): GatewayEvent {
  if (event.type === 'BUNDLE_STATE' || event.type === 'RECORDING_STATE')
    return { ...event, cause: hideIn(event.cause) };
  return event.type === 'DEPLOYMENT'
    ? { ...event, url: hideIn(event.url), message: hideIn(event.message) }
    : event;
}

function hideIn(text: string | undefined): string | undefined {
  return text === undefined ? undefined : hidePaths(text);
}
