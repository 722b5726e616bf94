import type { ServiceRequest, ServiceResponse } from './service-transport.ts';

// Lists in requests whose entries are the operations.
const OPERATIONS = [
  ['nodesToRead', 'nodes'],
  ['nodesToWrite', 'nodes'],
  ['nodesToBrowse', 'nodes'],
  ['browsePaths', 'paths'],
  ['continuationPoints', 'continuation points'],
  ['methodsToCall', 'methods'],
  ['itemsToCreate', 'monitored items'],
  ['itemsToModify', 'monitored items'],
  ['monitoredItemIds', 'monitored items'],
  ['subscriptionIds', 'subscriptions'],
  ['subscriptionAcknowledgements', 'acknowledgements'],
] as const;

/** Outcome of a request. */
interface ServiceOutcome {
  readonly error: Error | null;
  readonly response: ServiceResponse | undefined;
  readonly durationMs: number;
  /** On the wire. */
  readonly bytes: number;
}

/**
 * Describes a request without its values: `Read 17, 1000 nodes, 34012 bytes`.
 *
 * @param bytes on the wire
 */
export function describeRequest(request: ServiceRequest, bytes: number): string {
  const counts = OPERATIONS.flatMap(([field, unit]) => {
    const list: unknown = Reflect.get(request, field);
    return Array.isArray(list) && list.length > 0 ? [`${list.length} ${unit}`] : [];
  });
  return [nameOf(request), ...counts, `${bytes} bytes`].join(', ');
}

/** Describes the response to a request without its values: `Read 17: Good, 1000 results, 3 bad, 9120 bytes, 12 ms`. */
export function describeResponse(request: ServiceRequest, outcome: ServiceOutcome): string {
  const { error, durationMs, bytes } = outcome;
  const response = outcome.response ?? (error as { readonly response?: ServiceResponse } | null)?.response;
  const status = response?.responseHeader.serviceResult.name ?? 'no response';
  const parts = response === undefined ? [] : [...countResults(response), ...describeNotification(response)];
  return [
    `${nameOf(request)}: ${status}`,
    ...parts,
    ...(response === undefined ? [] : [`${bytes} bytes`]),
    `${Math.round(durationMs)} ms`,
  ].join(', ');
}

function nameOf(request: ServiceRequest): string {
  return `${request.schema.name.replace(/Request$/, '')} ${request.requestHeader.requestHandle}`;
}

function countResults(response: ServiceResponse): readonly string[] {
  const results: unknown = Reflect.get(response, 'results');
  if (!Array.isArray(results) || results.length === 0) return [];
  const bad = results.filter((result: unknown) => isBad(result)).length;
  return [`${results.length} results`, ...(bad === 0 ? [] : [`${bad} bad`])];
}

/** A result is a status, or has one; the highest bit of a bad one is set (OPC 10000-4, 7.39). */
function isBad(result: unknown): boolean {
  if (typeof result !== 'object' || result === null) return false;
  const status: unknown = 'statusCode' in result ? result.statusCode : result;
  if (typeof status !== 'object' || status === null || !('value' in status)) return false;
  return typeof status.value === 'number' && status.value >= 0x8000_0000;
}

function describeNotification(response: ServiceResponse): readonly string[] {
  const message: unknown = Reflect.get(response, 'notificationMessage');
  if (typeof message !== 'object' || message === null) return [];
  const data: unknown = Reflect.get(message, 'notificationData');
  const number = String(Reflect.get(message, 'sequenceNumber'));
  const subscription = `subscription ${String(Reflect.get(response, 'subscriptionId'))}`;
  if (!Array.isArray(data) || data.length === 0) return [subscription, 'keep-alive'];
  const items = data.reduce((sum: number, part: unknown) => {
    const list: unknown = typeof part === 'object' && part !== null && Reflect.get(part, 'monitoredItems');
    return sum + (Array.isArray(list) ? list.length : 0);
  }, 0);
  return [subscription, `notification ${number}`, `${items} changes`];
}
