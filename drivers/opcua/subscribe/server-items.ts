import { LinkLost } from '../opcua-errors.ts';
import type { OpcuaSession } from '../session/opcua-session.ts';
import { workInParts } from '../session/request-parts.ts';
import { nameStatus, severityOf } from '../value/status.ts';
import { findRevision, toParameters } from './monitored-items.ts';
import type { CreatedItem, ItemRequest, RevisedItem, WantedItem } from './monitored-items.ts';

/** A subscription on the server, with the session of its present connection. */
interface SubscriptionOnServer {
  readonly id: number;
  readonly session: OpcuaSession;
}

/** An item on the server. */
interface ListedItem {
  readonly itemId: number;
  readonly handle: number;
}

/** An item whose sampling interval or queue is to be changed. */
export interface ItemChange {
  readonly item: CreatedItem;
  readonly wanted: WantedItem;
  /** Client handle of the item, which stays. */
  readonly handle: number;
}

const GET_MONITORED_ITEMS = { objectId: 'i=2253', methodId: 'i=11492' } as const;

/** Service that creates items. */
export const CREATE_ITEMS = 'CreateMonitoredItems';

/** Outcome of the creation of one item. */
export interface ItemCreation {
  /** Index of the channel. */
  readonly index: number;
  /** The item, or the StatusCode of the server. */
  readonly outcome: CreatedItem | string;
  readonly revision?: RevisedItem | undefined;
}

/**
 * Creates items in one request.
 *
 * @param handleOf returns the client handle for the index of a channel
 * @throws the errors of `OpcuaSession.call`
 */
export async function createItems(
  { id, session }: SubscriptionOnServer,
  requests: readonly ItemRequest[],
  handleOf: (index: number) => number,
): Promise<readonly ItemCreation[]> {
  const { library } = session;
  const request = new library.CreateMonitoredItemsRequest({
    subscriptionId: id,
    timestampsToReturn: library.TimestampsToReturn.Both,
    itemsToCreate: requests.map(({ index, wanted, itemToMonitor }) => ({
      itemToMonitor,
      monitoringMode: library.MonitoringMode.Reporting,
      requestedParameters: toParameters(wanted.terms, handleOf(index)),
    })),
  });
  const options = { service: CREATE_ITEMS };
  const { results } = await session.call(request, library.CreateMonitoredItemsResponse, options);
  return requests.map(({ index, wanted }, position) => {
    const result = results?.[position];
    const code = result?.statusCode.value ?? library.StatusCodes.BadUnexpectedError.value;
    if (result === undefined || severityOf(code) === 'BAD')
      return { index, outcome: nameStatus(library, code) };
    const item = { itemId: result.monitoredItemId, terms: wanted.terms, isResumed: false };
    return { index, outcome: item, revision: findRevision(wanted, result) };
  });
}

/**
 * Changes the sampling interval and the queue of items, which keep what is queued (OPC 10000-4, 5.13.3).
 *
 * @returns the items that the server did not change, and those for which it chose other values
 * @throws {LinkLost}
 */
export async function modifyItems<Change extends ItemChange>(
  { id, session }: SubscriptionOnServer,
  changes: readonly Change[],
): Promise<{ readonly refused: readonly Change[]; readonly revised: readonly RevisedItem[] }> {
  const { ModifyMonitoredItemsRequest, ModifyMonitoredItemsResponse, TimestampsToReturn } = session.library;
  const refused = new Set(changes);
  const revised: RevisedItem[] = [];
  const limit = { limits: session.limits, limit: 'itemsPerCall' } as const;
  await workInParts(changes, limit, async (part) => {
    const request = new ModifyMonitoredItemsRequest({
      subscriptionId: id,
      timestampsToReturn: TimestampsToReturn.Both,
      itemsToModify: part.map(({ item, wanted, handle }) => ({
        monitoredItemId: item.itemId,
        requestedParameters: toParameters(wanted.terms, handle),
      })),
    });
    const service = 'ModifyMonitoredItems';
    const { results } = await session.call(request, ModifyMonitoredItemsResponse, { service });
    for (const [position, change] of part.entries()) {
      const result = results?.[position];
      if (result === undefined || severityOf(result.statusCode.value) === 'BAD') continue;
      const { item, wanted } = change;
      item.terms = wanted.terms;
      refused.delete(change);
      const revision = findRevision(wanted, result);
      if (revision !== undefined) revised.push(revision);
    }
  }).catch((error: unknown) => {
    if (error instanceof LinkLost) throw error;
  });
  return { refused: [...refused], revised };
}

/**
 * Deletes items.
 *
 * @throws the errors of `OpcuaSession.call`
 */
export async function deleteItems(
  { id, session }: SubscriptionOnServer,
  itemIds: readonly number[],
): Promise<void> {
  const { DeleteMonitoredItemsRequest, DeleteMonitoredItemsResponse } = session.library;
  const limit = { limits: session.limits, limit: 'itemsPerCall' } as const;
  await workInParts(itemIds, limit, async (part) => {
    const request = new DeleteMonitoredItemsRequest({ subscriptionId: id, monitoredItemIds: [...part] });
    await session.call(request, DeleteMonitoredItemsResponse, { service: 'DeleteMonitoredItems' });
  });
}

/**
 * Lists the items of a subscription with their client handles, by the method GetMonitoredItems (OPC 10000-5, 9.1).
 *
 * @returns undefined if the server does not have the method, or no usable response came
 */
export async function listItems({
  id,
  session,
}: SubscriptionOnServer): Promise<readonly ListedItem[] | undefined> {
  const { CallRequest, CallResponse, DataType, Variant } = session.library;
  const inputArguments = [new Variant({ dataType: DataType.UInt32, value: id })];
  const request = new CallRequest({ methodsToCall: [{ ...GET_MONITORED_ITEMS, inputArguments }] });
  try {
    const { results } = await session.call(request, CallResponse, { service: 'Call' });
    const [ids, handles] = results?.[0]?.outputArguments?.map(({ value }) => toNumbers(value)) ?? [];
    return ids?.flatMap((itemId, index) => {
      const handle = handles?.[index];
      return handle === undefined ? [] : [{ itemId, handle }];
    });
  } catch {
    return undefined;
  }
}

function toNumbers(value: unknown): readonly number[] | undefined {
  return value instanceof Uint32Array || Array.isArray(value) ? Array.from(value, Number) : undefined;
}
