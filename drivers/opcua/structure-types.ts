import type {
  BrowseDescriptionLike,
  DataValue,
  ExtraDataTypeManager,
  IBasicSessionAsync2,
  NodeId,
  ReadValueIdOptions,
  Variant,
} from 'node-opcua-client';

import { raceWithAbort } from '../../daemon/base/race-with-abort.ts';
import { InvalidAnswer } from './opcua-errors.ts';
import type { OpcuaModule } from './opcua-library.ts';
import type { CallOptions } from './secure-channel.ts';
import type { ServiceRequest, ServiceResponse } from './service-transport.ts';
import { isOpaque } from './structure.ts';

/** The part of a session that is used here. */
export interface StructureServer {
  readonly library: OpcuaModule;
  call<Response extends ServiceResponse>(
    request: ServiceRequest,
    expected: abstract new () => Response,
    options: Pick<CallOptions, 'service'>,
  ): Promise<Response>;
}

type BrowsePaths = NonNullable<
  NonNullable<ConstructorParameters<OpcuaModule['TranslateBrowsePathsToNodeIdsRequest']>[0]>['browsePaths']
>;

// A server whose types have no end must not keep the gateway busy.
const MOST_REQUESTS = 2000;

/**
 * Knows the structures of a server, which it asks for them when their first value comes, by the attribute
 * DataTypeDefinition (OPC 10000-3, 5.8.3).
 */
export class StructureTypes {
  readonly #server: StructureServer;
  /** Encodings that the server does not describe. */
  readonly #unknown = new Set<string>();
  #manager: Promise<ExtraDataTypeManager> | undefined;
  #requests = 0;
  #failures = 0;

  constructor(server: StructureServer) {
    this.#server = server;
  }

  /** Whether one of the values has a structure that has to be decoded first. */
  areOpaque(values: readonly DataValue[]): boolean {
    return values.some(({ value }) => this.#listOpaque(value).length > 0);
  }

  /**
   * Decodes the structures in values; those that the server does not describe stay as they are.
   *
   * @throws the reason of the signal
   */
  async decode(values: readonly DataValue[], signal?: AbortSignal): Promise<void> {
    for (const { value } of values) {
      if (this.#listOpaque(value).length === 0) continue;
      const decoding = this.#decode(value);
      await (signal === undefined ? decoding : raceWithAbort(decoding, signal));
    }
  }

  async #decode(variant: Variant): Promise<void> {
    const failures = this.#failures;
    const { resolveDynamicExtensionObject, getExtraDataTypeManager, DataTypeExtractStrategy } =
      this.#server.library;
    const session = this.#toSession();
    this.#manager ??= getExtraDataTypeManager(session, DataTypeExtractStrategy.Lazy);
    try {
      const manager = await this.#manager;
      await resolveDynamicExtensionObject(session, variant, manager);
      // A request that failed says nothing about the structure.
      if (failures === this.#failures) this.#noteUnknown(variant, manager);
    } catch {
      // The value stays as it is, which its reading tells, and the next value asks again.
      this.#manager = undefined;
    }
  }

  // A value that cannot be decoded is one thing, a structure that is not described another.
  #noteUnknown(variant: Variant, manager: ExtraDataTypeManager): void {
    for (const nodeId of this.#listOpaque(variant)) {
      try {
        manager.getExtensionObjectConstructorFromBinaryEncoding(nodeId);
      } catch {
        this.#unknown.add(nodeId.toString());
      }
    }
  }

  #listOpaque({ dataType, value }: Variant): readonly NodeId[] {
    if (dataType !== this.#server.library.DataType.ExtensionObject) return [];
    const structures: readonly unknown[] = Array.isArray(value) ? value : [value];
    return structures
      .filter((structure) => isOpaque(structure))
      .map(({ nodeId }) => nodeId)
      .filter((nodeId) => !this.#unknown.has(nodeId.toString()));
  }

  // What the library asks the server with.
  #toSession(): IBasicSessionAsync2 {
    const single =
      <Request, Result>(ask: (all: readonly Request[]) => Promise<readonly Result[]>) =>
      async (one: Request | Request[]): Promise<Result | Result[]> => {
        const results = await ask(Array.isArray(one) ? one : [one]);
        const [first] = results;
        if (Array.isArray(one)) return [...results];
        if (first === undefined) throw new InvalidAnswer('it has no result');
        return first;
      };
    return {
      read: single((nodes: readonly ReadValueIdOptions[]) => this.#read(nodes)),
      browse: single((nodes: readonly BrowseDescriptionLike[]) => this.#browse(nodes)),
      browseNext: single((points: readonly Buffer[]) => this.#browseNext(points)),
      translateBrowsePath: single((paths: Readonly<BrowsePaths>) => this.#translate(paths)),
    } as unknown as IBasicSessionAsync2;
  }

  async #read(nodes: readonly ReadValueIdOptions[]): Promise<readonly DataValue[]> {
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
      // The library names reference types of the standard, as HasEncoding.
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
    if (this.#requests > MOST_REQUESTS) throw new InvalidAnswer('its types have no end');
    try {
      return await this.#server.call(request, expected, { service });
    } catch (error) {
      this.#failures += 1;
      throw error;
    }
  }
}
