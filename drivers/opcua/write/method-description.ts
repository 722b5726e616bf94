import type { NodeId } from 'node-opcua-client';

import { findBaseType } from '../value/declared-type.ts';
import type { MethodArgument } from './method-arguments.ts';
import { InvalidResponse } from '../opcua-errors.ts';
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

const HAS_PROPERTY = 'i=46';
const VALUE_ATTRIBUTE = 13;
const NO_MATCH = 'BadNoMatch';
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
  const property = await findProperty(methodId, link, session, signal);
  if (property !== undefined && 'status' in property) return property;
  const described = property === undefined ? [] : await readArguments(property, link, session, signal);
  if ('status' in described) return described;
  const found: MethodArgument[] = [];
  for (const { name, dataType, valueRank } of described) {
    const type = await findBaseType(dataType, link, session, signal);
    found.push({ name: name ?? '', type, rank: toRank(valueRank) });
  }
  session.methodArguments.set(methodId, found);
  return found;
}

// A method without input arguments has no such property (OPC 10000-3, 5.7).
async function findProperty(
  methodId: string,
  link: OpcuaLink,
  session: OpcuaSession,
  signal: AbortSignal,
): Promise<NodeId | MethodRefusal | undefined> {
  const { TranslateBrowsePathsToNodeIdsRequest, TranslateBrowsePathsToNodeIdsResponse } = session.library;
  const element = {
    referenceTypeId: HAS_PROPERTY,
    isInverse: false,
    includeSubtypes: true,
    targetName: { namespaceIndex: 0, name: 'InputArguments' },
  };
  const browsePaths = [{ startingNode: methodId, relativePath: { elements: [element] } }];
  const { results } = await link.call(
    session,
    () => new TranslateBrowsePathsToNodeIdsRequest({ browsePaths }),
    TranslateBrowsePathsToNodeIdsResponse,
    { service: 'TranslateBrowsePathsToNodeIds', counter: 'reads', signal },
  );
  const [result] = results ?? [];
  if (result === undefined) throw new InvalidResponse('it has no result');
  const status = nameStatus(session.library, result.statusCode.value);
  if (status === NO_MATCH) return undefined;
  return severityOf(result.statusCode.value) === 'BAD' ? { status } : result.targets?.[0]?.targetId;
}

async function readArguments(
  property: NodeId,
  link: OpcuaLink,
  session: OpcuaSession,
  signal: AbortSignal,
): Promise<readonly ArgumentLike[] | MethodRefusal> {
  const { ReadRequest, ReadResponse, TimestampsToReturn, NodeId: Id } = session.library;
  const nodesToRead = [{ nodeId: property, attributeId: VALUE_ATTRIBUTE }];
  const { results } = await link.call(
    session,
    () => new ReadRequest({ maxAge: 0, timestampsToReturn: TimestampsToReturn.Neither, nodesToRead }),
    ReadResponse,
    { service: 'Read', counter: 'reads', signal },
  );
  const [dataValue] = results ?? [];
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
