import type {
  BrowseDescriptionLike,
  DataValue,
  ExtraDataTypeManager,
  IBasicSessionAsync2,
  NodeId,
  ReadValueIdOptions,
  Variant,
} from 'node-opcua-client';

import { raceWithAbort } from '../../../daemon/base/sharing/race-with-abort.ts';
import { Semaphore } from '../../../daemon/base/sharing/semaphore.ts';
import { InvalidResponse, LinkLost, NoResponse } from '../opcua-errors.ts';
import type { OpcuaModule } from '../session/opcua-library.ts';
import type { CallOptions } from '../transport/secure-channel.ts';
import type { ServiceRequest, ServiceResponse } from '../transport/service-transport.ts';
import { isOpaque, STRUCTURE_TYPE } from './structure.ts';
import type { UnansweredTypes } from '../session/unanswered-types.ts';
import { isVariant, VARIANT_TYPE } from './variant.ts';
import type { VariantFault, VariantLike } from './variant.ts';

/** The part of a session used here. */
export interface StructureServer {
  readonly library: OpcuaModule;
  readonly namespaces: { readonly uris: readonly string[] };
  readonly unansweredTypes: UnansweredTypes;
  /** False after the connection was lost or closed. */
  readonly isOpen: boolean;
  /** True while the gateway closes the session: resulting failures say nothing about the server. */
  readonly isClosing: boolean;
  call<Response extends ServiceResponse>(
    request: ServiceRequest,
    expected: abstract new () => Response,
    options: Pick<CallOptions, 'service'>,
  ): Promise<Response>;
}

type BrowsePaths = NonNullable<
  NonNullable<ConstructorParameters<OpcuaModule['TranslateBrowsePathsToNodeIdsRequest']>[0]>['browsePaths']
>;

// Guards against a server with an endless type hierarchy.
const MAXIMUM_REQUESTS = 2000;
const DATA_TYPE_DEFINITION_ATTRIBUTE = 23;

/**
 * Structure definitions of a server, requested by the attribute DataTypeDefinition when a first value arrives (OPC
 * 10000-3, 5.8.3).
 */
export class StructureTypes {
  readonly #server: StructureServer;
  /** Encodings that the server does not describe. */
  readonly #unknown = new Set<string>();
  /** Encodings that the server has described. */
  readonly #described = new Set<string>();
  /** Decodes one value at a time, so that a broken connection can be attributed to its type. */
  readonly #asking = new Semaphore({ permits: 1 });
  #manager: Promise<ExtraDataTypeManager> | undefined;
  /** True while the library detects how the server describes its types. */
  #isPreparing = false;
  #requests = 0;
  #failures = 0;
  /** Error of the last request without a response. */
  #unanswered: Error | undefined;

  constructor(server: StructureServer) {
    this.#server = server;
  }

  /** True if a value contains a structure that must be decoded first. */
  areOpaque(values: readonly DataValue[]): boolean {
    return values.some(({ value }) => this.#isToBeDecoded(value));
  }

  /**
   * Decodes the structures in values; those that the server does not describe remain unchanged.
   *
   * @throws the reason of the signal
   */
  async decode(values: readonly DataValue[], signal?: AbortSignal): Promise<void> {
    for (const { value } of values) {
      if (!this.#isToBeDecoded(value)) continue;
      const isDescribed = this.#listOpaque(value).every((nodeId) => this.#described.has(String(nodeId)));
      const decoding = isDescribed
        ? this.#decode(value)
        : this.#asking.run(signal, () => this.#decode(value));
      await (signal === undefined ? decoding : raceWithAbort(decoding, signal));
    }
  }

  /** Returns the reason why a value cannot be decoded now: its type is not requested. */
  findFault(variant: VariantLike): VariantFault | undefined {
    for (const nodeId of listOpaque(variant)) {
      const fault = this.#server.unansweredTypes.find(this.#toLastingName(nodeId));
      if (fault !== undefined) return fault;
    }
    return undefined;
  }

  #isToBeDecoded(variant: VariantLike): boolean {
    return this.#listOpaque(variant).length > 0 && this.findFault(variant) === undefined;
  }

  async #decode(variant: Variant): Promise<void> {
    // An earlier request may have broken the connection, or shown that this type must not be requested.
    if (!this.#server.isOpen || !this.#isToBeDecoded(variant)) return;
    const failures = this.#failures;
    const types = this.#listOpaque(variant);
    try {
      this.#manager ??= this.#prepare();
      const manager = await this.#manager;
      const { resolveDynamicExtensionObject } = this.#server.library;
      for (const each of listVariants(variant)) {
        await resolveDynamicExtensionObject(this.#toSession(), each as unknown as Variant, manager);
      }
      // A failed request says nothing about the structure.
      if (failures === this.#failures) this.#recordTypes(types, manager);
    } catch {
      // The value remains undecoded, which its reading reports, and the next value retries.
      this.#manager = undefined;
    }
    this.#noteUnanswered(types);
  }

  async #prepare(): Promise<ExtraDataTypeManager> {
    const { getExtraDataTypeManager, DataTypeExtractStrategy } = this.#server.library;
    this.#isPreparing = true;
    try {
      return await getExtraDataTypeManager(this.#toSession(), DataTypeExtractStrategy.Lazy);
    } finally {
      this.#isPreparing = false;
    }
  }

  // An undecodable value does not mean that its structure is not described.
  #recordTypes(types: readonly NodeId[], manager: ExtraDataTypeManager): void {
    for (const nodeId of types) {
      try {
        manager.getExtensionObjectConstructorFromBinaryEncoding(nodeId);
        this.#described.add(String(nodeId));
        this.#server.unansweredTypes.forget(this.#toLastingName(nodeId));
      } catch {
        this.#unknown.add(String(nodeId));
      }
    }
  }

  #noteUnanswered(types: readonly NodeId[]): void {
    const error = this.#unanswered;
    this.#unanswered = undefined;
    if (error === undefined) return;
    const open = types.filter((nodeId) => !this.#described.has(String(nodeId)));
    // A described structure may contain another one of any type.
    for (const nodeId of open.length === 0 ? types : open) {
      this.#server.unansweredTypes.note(this.#toLastingName(nodeId), error);
    }
  }

  #listOpaque(variant: VariantLike): readonly NodeId[] {
    return listOpaque(variant).filter((nodeId) => !this.#unknown.has(String(nodeId)));
  }

  // Another session may use other namespace indexes.
  #toLastingName(nodeId: NodeId): string {
    const uri = this.#server.namespaces.uris[nodeId.namespace];
    const text = String(nodeId);
    return uri === undefined ? text : `nsu=${uri}${text.slice(text.indexOf(';'))}`;
  }

  // Session interface for requests of the library.
  #toSession(): IBasicSessionAsync2 {
    const single =
      <Request, Result>(ask: (all: readonly Request[]) => Promise<readonly Result[]>) =>
      async (one: Request | Request[]): Promise<Result | Result[]> => {
        const results = await ask(Array.isArray(one) ? one : [one]);
        const [first] = results;
        if (Array.isArray(one)) return [...results];
        if (first === undefined) throw new InvalidResponse('it has no result');
        return first;
      };
    return {
      read: single((nodes: readonly ReadValueIdOptions[]) => this.#read(nodes)),
      browse: single((nodes: readonly BrowseDescriptionLike[]) => this.#browse(nodes)),
      browseNext: single((points: readonly Buffer[]) => this.#browseNext(points)),
      translateBrowsePath: single((paths: Readonly<BrowsePaths>) => this.#translate(paths)),
    } as unknown as IBasicSessionAsync2;
  }

  /**
   * Reads attributes, but no type definition only to detect whether the server has any: one that breaks the connection
   * would do so for every structure. A server is assumed to have them.
   */
  async #read(nodes: readonly ReadValueIdOptions[]): Promise<readonly DataValue[]> {
    const { DataValue, StatusCodes } = this.#server.library;
    const isAsked = ({ attributeId }: ReadValueIdOptions): boolean =>
      !this.#isPreparing || attributeId !== DATA_TYPE_DEFINITION_ATTRIBUTE;
    const asked = nodes.filter(isAsked);
    const results = asked.length === 0 ? [] : await this.#readAttributes(asked);
    const statusCode = nodes.length === 1 ? StatusCodes.Good : StatusCodes.BadAttributeIdInvalid;
    const untold = new DataValue({ statusCode });
    return asked.length === nodes.length
      ? results
      : nodes.map((node) => results[asked.indexOf(node)] ?? untold);
  }

  async #readAttributes(nodes: readonly ReadValueIdOptions[]): Promise<readonly DataValue[]> {
    const { ReadRequest, ReadResponse, TimestampsToReturn } = this.#server.library;
    const request = new ReadRequest({
      maxAge: 0,
      timestampsToReturn: TimestampsToReturn.Neither,
      nodesToRead: [...nodes],
    });
    return (await this.#call(request, ReadResponse, 'Read')).results ?? [];
  }

  async #browse(nodes: readonly BrowseDescriptionLike[]) {
    const { BrowseRequest, BrowseResponse, resolveNodeId } = this.#server.library;
    const nodesToBrowse = nodes
      .filter((node) => typeof node !== 'string')
      // The library names standard reference types, such as HasEncoding.
      .map((node) =>
        Object.assign(node, { referenceTypeId: resolveNodeId(node.referenceTypeId ?? 'References') }),
      );
    const request = new BrowseRequest({ nodesToBrowse });
    return (await this.#call(request, BrowseResponse, 'Browse')).results ?? [];
  }

  async #browseNext(continuationPoints: readonly Buffer[]) {
    const { BrowseNextRequest, BrowseNextResponse } = this.#server.library;
    const request = new BrowseNextRequest({ continuationPoints: [...continuationPoints] });
    return (await this.#call(request, BrowseNextResponse, 'BrowseNext')).results ?? [];
  }

  async #translate(paths: Readonly<BrowsePaths>) {
    const { TranslateBrowsePathsToNodeIdsRequest, TranslateBrowsePathsToNodeIdsResponse } =
      this.#server.library;
    const request = new TranslateBrowsePathsToNodeIdsRequest({ browsePaths: [...paths] });
    const service = 'TranslateBrowsePathsToNodeIds';
    return (await this.#call(request, TranslateBrowsePathsToNodeIdsResponse, service)).results ?? [];
  }

  async #call<Response extends ServiceResponse>(
    request: ServiceRequest,
    expected: abstract new () => Response,
    service: string,
  ): Promise<Response> {
    this.#requests += 1;
    if (this.#requests > MAXIMUM_REQUESTS) throw new InvalidResponse('endless type hierarchy');
    try {
      return await this.#server.call(request, expected, { service });
    } catch (error) {
      this.#failures += 1;
      const isUnanswered = error instanceof LinkLost || error instanceof NoResponse;
      if (isUnanswered && !this.#server.isClosing) this.#unanswered = error;
      throw error;
    }
  }
}

function listOpaque({ dataType, value }: VariantLike): readonly NodeId[] {
  if (dataType === VARIANT_TYPE) {
    const variants: readonly unknown[] = Array.isArray(value) ? value : [value];
    return variants.filter(isVariant).flatMap(listOpaque);
  }
  if (dataType !== STRUCTURE_TYPE) return [];
  const structures: readonly unknown[] = Array.isArray(value) ? value : [value];
  return structures.filter((structure) => isOpaque(structure)).map(({ nodeId }) => nodeId);
}

// The library decodes the structures of one Variant, not of those within it.
function listVariants(variant: VariantLike): readonly VariantLike[] {
  const { dataType, value } = variant;
  if (dataType !== VARIANT_TYPE) return [variant];
  const variants: readonly unknown[] = Array.isArray(value) ? value : [value];
  return variants.filter(isVariant).flatMap(listVariants);
}
