import type { CallMethodResult } from 'node-opcua-client';

import type { MethodArgument } from './method-arguments.ts';
import type { OpcuaLink } from '../session/opcua-link.ts';
import type { OpcuaSession } from '../session/opcua-session.ts';
import { nameStatus, severityOf } from '../value/status.ts';
import { formatAny } from '../value/structure.ts';
import { VariantFault } from '../value/variant.ts';
import type { VariantLike } from '../value/variant.ts';
import { createOpenFault, toStatusFault } from './write-outcome.ts';
import type { WriteFault } from './write-outcome.ts';

// StatusCodes by which a server reports that the method has other arguments (OPC 10000-4, 5.12.2).
const ARGUMENT_STATUSES: ReadonlySet<string> = new Set([
  'BadArgumentsMissing',
  'BadTooManyArguments',
  'BadInvalidArgument',
]);

/** A callable method. */
export interface MethodCall {
  readonly objectId: string;
  readonly methodId: string;
  readonly described: readonly MethodArgument[];
  readonly inputArguments: readonly VariantLike[];
}

/** Options for sending one request. */
export interface SendOptions {
  readonly link: OpcuaLink;
  readonly session: OpcuaSession;
  readonly signal: AbortSignal;
  /** Called right before the call is sent. */
  readonly onSend: () => void;
}

/** Outcome of a call: a fault, or the results as JSON text of an array if the method has any. */
export type MethodOutcome = WriteFault | { readonly failure?: undefined; readonly returned?: string };

/**
 * Calls a method once. After a refusal of the arguments, their description is
 * requested again before the next call: the method may have been recreated.
 *
 * @returns the failure, or the results
 * @throws the errors of `OpcuaLink.call`
 */
export async function callMethod(
  call: MethodCall,
  { link, session, signal, onSend }: SendOptions,
): Promise<MethodOutcome> {
  const { CallRequest, CallResponse, DataValue, Variant } = session.library;
  const { results } = await link.call(
    session,
    () => {
      const inputArguments = call.inputArguments.map((argument) => new Variant(argument));
      const { objectId, methodId } = call;
      const request = new CallRequest({ methodsToCall: [{ objectId, methodId, inputArguments }] });
      onSend();
      return request;
    },
    CallResponse,
    { service: 'Call', counter: 'writes', signal },
  );
  const [result] = results ?? [];
  const fault = toFailure(call, result, session);
  if (fault !== undefined) return fault;
  const outputs = result?.outputArguments ?? [];
  if (outputs.length === 0) return {};
  // The call has succeeded even if its results cannot be decoded.
  await session.structures
    .decode(
      outputs.map((value) => new DataValue({ value })),
      signal,
    )
    .catch(() => undefined);
  return { returned: `[${outputs.map((output) => formatResult(output)).join(',')}]` };
}

// A result that cannot be shown does not make the call fail.
function formatResult(output: VariantLike): string {
  const text = formatAny(output);
  return text instanceof VariantFault ? 'null' : text;
}

function toFailure(
  { methodId, described }: MethodCall,
  result: CallMethodResult | undefined,
  { library, methodArguments }: OpcuaSession,
): WriteFault | undefined {
  if (result === undefined) return createOpenFault(`${methodId}: no result`);
  const refused = (result.inputArgumentResults ?? []).flatMap(({ value }, index) =>
    severityOf(value) === 'GOOD'
      ? []
      : [`argument "${described[index]?.name ?? index}": ${nameStatus(library, value)}`],
  );
  const { value: code } = result.statusCode;
  if (severityOf(code) === 'GOOD' && refused.length === 0) return undefined;
  const status = nameStatus(library, code);
  if (ARGUMENT_STATUSES.has(status)) methodArguments.delete(methodId);
  const message = [`${methodId}: ${status}`, ...refused].join('; ');
  return toStatusFault(status, message);
}
