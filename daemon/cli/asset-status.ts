import type { RestClient } from './rest-client.ts';

/** A device behind a connection, as `_status` shows it. */
export interface UnitStatus {
  readonly name: string;
  readonly state: string;
  /** Whether a channel of the asset lies there. */
  readonly isUsed?: boolean;
  readonly lastError?: string;
  readonly nextProbeAt?: number;
  readonly counters?: Readonly<Record<string, number>>;
  readonly silentAddresses?: readonly {
    readonly address: string;
    readonly operation: string;
    readonly nextAttemptAt: number;
  }[];
}

/** The connection of an asset and the devices behind it, as `_status` shows them. */
export interface AssetStatus {
  readonly driver: {
    readonly pid: string;
    readonly endpoint: string;
    readonly type: string;
    readonly state: string;
    readonly since: number;
    readonly nextAttemptAt?: number;
    readonly lastError?: string;
    readonly counters?: Readonly<Record<string, number>>;
    readonly warnings?: readonly string[];
  };
  readonly units: readonly UnitStatus[];
  /** Absent when no channel fails, as far as clients have read them. */
  readonly failingChannels?: {
    readonly count: number;
    readonly first: readonly { readonly name: string; readonly since: number; readonly message: string }[];
  };
}

/** Returns the status of an asset. */
export async function getAssetStatus(client: RestClient, pid: string): Promise<AssetStatus> {
  const { body } = await client.send('GET', `/services/assets/${encodeURIComponent(pid)}/_status`);
  return body as AssetStatus;
}
