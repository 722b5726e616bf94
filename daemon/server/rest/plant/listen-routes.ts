import type { AssetAccess } from '../../../plant/access/asset-access.ts';
import type { GrantedEvent } from '../../../plant/access/granted-listener.ts';
import { eventStream } from '../../http/answer.ts';
import { implement } from '../../http/implement.ts';
import type { StreamEvent } from '../../http/stream/event-stream.ts';
import { findLastEventId } from '../../http/stream/event-stream.ts';
import { MultiAssetStream } from './multi-asset-stream.ts';
import { parseListenedPids, parseListenQuery, parseMultiAssetQuery } from './listen-query.ts';
import type { RenderRecords } from './record-json.ts';
import { callerOf } from '../caller.ts';
import { listenToAsset, listenToAssets } from '../../../interface/plant/listening.ts';
import type { Route } from '../../http/route.ts';

/** Creates the endpoints that send the changes of an asset, or of several. */
export function createListenRoutes(access: AssetAccess, renderRecords: RenderRecords): readonly Route[] {
  return [
    // Before those of one asset: no pid begins with an underscore.
    implement(listenToAssets, ({ request, principal, query }) => {
      const caller = callerOf({ principal });
      const opened = parseListenedPids(query).map((pid) => [pid, access.open(caller, pid)] as const);
      const parametersOf = parseMultiAssetQuery(
        query,
        new Map(opened.map(([pid, asset]) => [pid, asset.listReadable()])),
      );
      const assets = opened.flatMap(([pid, asset]) => {
        const parameters = parametersOf.get(pid);
        return parameters === undefined ? [] : [{ pid, asset, parameters }];
      });
      const lastEventId = findLastEventId(request);
      const hasLabels = query.labels === 'true';
      return eventStream((sink) => {
        const joined = new MultiAssetStream({ assets, lastEventId, sink, renderRecords, hasLabels });
        joined.start();
        return joined;
      });
    }),
    implement(listenToAsset, ({ request, principal, parameters: { pid }, query }) => {
      const asset = access.open(callerOf({ principal }), pid);
      const parameters = parseListenQuery(query, asset.listReadable());
      const lastEventId = findLastEventId(request);
      const options = { hasLabels: query.labels === 'true' };
      const render: RenderRecords = (records) => renderRecords(records, options);
      return eventStream((sink) => {
        const output = {
          get isFull() {
            return sink.isFull;
          },
          send: (event: GrantedEvent) => sink.send(toStreamEvent(event, render)),
          end: (reason: string) => sink.end(reason),
        };
        return asset.listen({ ...parameters, lastEventId, output });
      });
    }),
  ];
}

function toStreamEvent(event: GrantedEvent, renderRecords: RenderRecords): StreamEvent {
  const { type } = event;
  if (type === 'gap') return { type, data: JSON.stringify({ reason: event.reason }) };
  return { id: event.id, type, data: renderRecords(event.records) };
}
