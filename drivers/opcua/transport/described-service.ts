import { createReason } from '../../../daemon/base/fault-reason.ts';
import type { FaultReason } from '../../../daemon/base/fault-reason.ts';
import { OPCUA_TRACE_SENTENCES as SENTENCES } from '../trace-sentences.ts';
import type { ServiceRequest, ServiceResponse } from './service-transport.ts';

// Lists in requests whose entries are the operations.
const OPERATIONS = [
  ['nodesToRead', 'TRACE_NODES'],
  ['nodesToWrite', 'TRACE_NODES'],
  ['nodesToBrowse', 'TRACE_NODES'],
  ['browsePaths', 'TRACE_PATHS'],
  ['continuationPoints', 'TRACE_CONTINUATION_POINTS'],
  ['methodsToCall', 'TRACE_METHODS'],
  ['itemsToCreate', 'TRACE_MONITORED_ITEMS'],
  ['itemsToModify', 'TRACE_MONITORED_ITEMS'],
  ['monitoredItemIds', 'TRACE_MONITORED_ITEMS'],
  ['subscriptionIds', 'TRACE_SUBSCRIPTIONS'],
  ['subscriptionAcknowledgements', 'TRACE_ACKNOWLEDGEMENTS'],
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
export function explainRequest(request: ServiceRequest, bytes: number): readonly FaultReason[] {
  const counts = OPERATIONS.flatMap(([field, code]) => {
    const list: unknown = Reflect.get(request, field);
    return Array.isArray(list) && list.length > 0
      ? [createReason(SENTENCES, code, { count: list.length })]
      : [];
  });
  return [
    createReason(SENTENCES, 'TRACE_SERVICE', { service: nameOf(request) }),
    ...counts,
    createReason(SENTENCES, 'TRACE_BYTES', { count: bytes }),
  ];
}

/** Describes the response to a request without its values: `Read 17: Good, 1000 results, 3 bad, 9120 bytes, 12 ms`. */
export function explainResponse(request: ServiceRequest, outcome: ServiceOutcome): readonly FaultReason[] {
  const { error, durationMs, bytes } = outcome;
  const response = outcome.response ?? (error as { readonly response?: ServiceResponse } | null)?.response;
  const service = nameOf(request);
  const status = response?.responseHeader.serviceResult.name;
  const parts = response === undefined ? [] : [...countResults(response), ...explainNotification(response)];
  return [
    status === undefined
      ? createReason(SENTENCES, 'TRACE_SERVICE_WITHOUT_RESPONSE', { service })
      : createReason(SENTENCES, 'TRACE_SERVICE_STATUS', { service, status }),
    ...parts,
    ...(response === undefined ? [] : [createReason(SENTENCES, 'TRACE_BYTES', { count: bytes })]),
    explainDuration(durationMs),
  ];
}

/** Describes how long a service took. */
export function explainDuration(durationMs: number): FaultReason {
  return createReason(SENTENCES, 'TRACE_DURATION', { ms: Math.round(durationMs) });
}

function nameOf(request: ServiceRequest): string {
  return `${request.schema.name.replace(/Request$/, '')} ${request.requestHeader.requestHandle}`;
}

function countResults(response: ServiceResponse): readonly FaultReason[] {
  const results: unknown = Reflect.get(response, 'results');
  if (!Array.isArray(results) || results.length === 0) return [];
  const bad = results.filter((result: unknown) => isBad(result)).length;
  const counted = createReason(SENTENCES, 'TRACE_RESULTS', { count: results.length });
  return bad === 0 ? [counted] : [counted, createReason(SENTENCES, 'TRACE_BAD', { count: bad })];
}

/** A result is a status, or has one; the highest bit of a bad one is set (OPC 10000-4, 7.39). */
function isBad(result: unknown): boolean {
  if (typeof result !== 'object' || result === null) return false;
  const status: unknown = 'statusCode' in result ? result.statusCode : result;
  if (typeof status !== 'object' || status === null || !('value' in status)) return false;
  return typeof status.value === 'number' && status.value >= 0x8000_0000;
}

function explainNotification(response: ServiceResponse): readonly FaultReason[] {
  const message: unknown = Reflect.get(response, 'notificationMessage');
  if (typeof message !== 'object' || message === null) return [];
  const data: unknown = Reflect.get(message, 'notificationData');
  const number = String(Reflect.get(message, 'sequenceNumber'));
  const id = { subscription: String(Reflect.get(response, 'subscriptionId')) };
  const subscription = createReason(SENTENCES, 'TRACE_SUBSCRIPTION', id);
  if (!Array.isArray(data) || data.length === 0)
    return [subscription, createReason(SENTENCES, 'TRACE_KEEP_ALIVE', {})];
  const count = data.reduce((sum: number, part: unknown) => {
    const list: unknown = typeof part === 'object' && part !== null && Reflect.get(part, 'monitoredItems');
    return sum + (Array.isArray(list) ? list.length : 0);
  }, 0);
  return [
    subscription,
    createReason(SENTENCES, 'TRACE_NOTIFICATION', { number }),
    createReason(SENTENCES, 'TRACE_CHANGES', { count }),
  ];
}
