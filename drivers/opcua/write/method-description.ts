import type { NodeId } from 'node-opcua-client';

import { findBaseType } from '../value/declared-type.ts';
import type { MethodArgument } from './method-arguments.ts';
import { ATTRIBUTES } from '../opcua-address.ts';
import { InvalidResponse } from '../opcua-errors.ts';
import { sendRead } from '../session/read-attributes.ts';
import { findProperties } from '../session/find-properties.ts';
import type { OpcuaLink } from '../session/opcua-link.ts';
import type { OpcuaSession } from '../session/opcua-session.ts';
import { nameStatus, severityOf } from '../value/status.ts';
import type { NodeWriteInfo } from '../value/write-type.ts';

/** StatusCode name of the refusal to describe a method. */
export interface MethodRefusal {
  readonly status: string;
}

/** The fields of an Argument of the library used here (OPC 10000-3, 8.6). */
interface ArgumentLike {
  readonly name: string | null;
  readonly dataType: NodeId;
  readonly valueRank: number;
}

const MAXIMUM_ARGUMENTS = 100;

/**
 * Returns the input arguments of a method; requested once per session.
 *
 * @throws the errors of `OpcuaLink.call`
 */
export async function findMethodArguments(
  methodId: string,
  link: OpcuaLink,
  session: OpcuaSession,
  signal: AbortSignal,
): Promise<readonly MethodArgument[] | MethodRefusal> {
  const known = session.methodArguments.get(methodId);
  if (known !== undefined) return known;
  const [property] = await findProperties([{ nodeId: methodId, name: 'InputArguments' }], {
    link,
    session,
    signal,
  });
  const { nodeId, status } = property ?? {};
  if (status !== undefined) return { status };
  // A method without input arguments has no such property (OPC 10000-3, 5.7).
  const described = nodeId === undefined ? [] : await readArguments(nodeId, link, session, signal);
  if ('status' in described) return described;
  const found: MethodArgument[] = [];
  for (const { name, dataType, valueRank } of described) {
    const type = await findBaseType(dataType, link, session, signal);
    found.push({ name: name ?? '', type, rank: toRank(valueRank) });
  }
  session.methodArguments.set(methodId, found);
  return found;
}

async function readArguments(
  property: NodeId,
  link: OpcuaLink,
  session: OpcuaSession,
  signal: AbortSignal,
): Promise<readonly ArgumentLike[] | MethodRefusal> {
  const { NodeId: Id } = session.library;
  const attribute = { nodeId: property, attributeId: ATTRIBUTES.Value };
  const [dataValue] = await sendRead([attribute], { link, session, signal });
  if (dataValue === undefined) throw new InvalidResponse('it has no result');
  const { value: code } = dataValue.statusCode;
  if (severityOf(code) === 'BAD') return { status: nameStatus(session.library, code) };
  const value: unknown = dataValue.value.value ?? [];
  const isDescription = (each: unknown): each is ArgumentLike =>
    typeof each === 'object' && each !== null && 'dataType' in each && each.dataType instanceof Id;
  if (Array.isArray(value) && value.length <= MAXIMUM_ARGUMENTS && value.every(isDescription)) return value;
  throw new InvalidResponse('it does not describe the arguments of the method');
}

function toRank(valueRank: number): NodeWriteInfo['rank'] {
  if (valueRank > 0) return valueRank;
  if (valueRank === 0) return 'SOME';
  return valueRank === -1 ? 0 : undefined;
}
