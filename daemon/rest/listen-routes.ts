import type { AssetRegistry } from '../asset/asset-registry.ts';
import type { SubscriptionEvent } from '../asset/subscriber-feed.ts';
import { eventStream } from '../http/answer.ts';
import type { StreamEvent } from '../http/event-stream.ts';
import { findLastEventId } from '../http/last-event-id.ts';
import { listenQuery, readListenWish } from './listen-query.ts';
import type { RenderRecords } from './record-json.ts';
import { defineRoute } from '../http/route.ts';
import type { Route } from '../http/route.ts';

/** Creates the endpoint that sends the changes of an asset. */
export function createListenRoutes(registry: AssetRegistry, renderRecords: RenderRecords): readonly Route[] {
  return [
    defineRoute({
      method: 'GET',
      path: '/services/assets/:pid/_listen',
      summary: 'Sends the values of an asset and then what changes',
      access: 'rest.assets',
      query: listenQuery,
      response: { status: 200, contentType: 'text/event-stream' },
      handle({ parameters: { pid = '' }, request }) {
        const asset = registry.get(pid);
        const wish = readListenWish(request, asset.config.channels);
        const lastEventId = findLastEventId(request);
        return eventStream((sink) => {
          const output = {
            get isFull() {
              return sink.isFull;
            },
            send: (event: SubscriptionEvent) => sink.send(toStreamEvent(event, renderRecords)),
            end: (reason: string) => sink.end(reason),
          };
          return asset.listen({ ...wish, lastEventId, output });
        });
      },
    }),
  ];
}

function toStreamEvent(event: SubscriptionEvent, renderRecords: RenderRecords): StreamEvent {
  const { type } = event;
  if (type === 'gap') return { type, data: JSON.stringify({ reason: event.reason }) };
  return { id: event.id, type, data: renderRecords(event.records).toString() };
}
