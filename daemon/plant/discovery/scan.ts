import type { ErrorCode } from '../../base/error-codes.ts';
import type { Proposal, ProposedAsset, ScanNote, Settings } from '../../channel/discovery.ts';
import { GatewayError } from '../../base/errors.ts';
import type { Logger } from '../../base/logger.ts';

/** Connection of the findings: a configured one, or settings for a new one. */
export interface FoundConnection {
  /** Pid of the driver with the connection; absent: not configured. */
  readonly pid?: string | undefined;
  readonly type: string;
  /** Driver settings as in the configuration, without `pid` and `type`; absent if configured. */
  readonly settings?: Settings | undefined;
  /** The device was found and does not accept the gateway yet. */
  readonly isRefusing?: boolean | undefined;
}

/** An asset of the configuration, without its driver. */
export interface FoundAsset {
  /** Valid as a pid, and unique in the result. */
  readonly pid: string;
  readonly displayName?: string | undefined;
  readonly template?: string | undefined;
  readonly parameters?: Readonly<Record<string, string | number | boolean>> | undefined;
  readonly channels?: readonly Settings[] | undefined;
}

/** Findings of a scan, in the form of the configuration. */
export interface ScanResult {
  /** True if the scan completed; otherwise there may be more. */
  readonly isComplete: boolean;
  /** Absent if no connection can be created from the findings. */
  readonly connection?: FoundConnection | undefined;
  readonly assets: readonly FoundAsset[];
  /** Notes for the user, in sentences. */
  readonly notes: readonly string[];
  /** The same, with their codes. */
  readonly details: readonly ScanNote[];
}

/** Names of templates by their subject. */
export type DescribedTemplates = ReadonlyMap<string, string>;

// A pid is a segment of a URL and an item of lists; these characters occur in names of devices besides letters and digits.
const UNUSUAL = /[^\p{L}\p{N}.-]+/gu;
const MAXIMUM_PID_CHARACTERS = 64;

/** Returns the assets of a proposal: one for each part of a device with a template, otherwise one for the device. */
export function toAssets({ assets }: Proposal, templates: DescribedTemplates): readonly FoundAsset[] {
  const taken = new Set<string>();
  return assets.flatMap((asset) => listAssets(asset, templates)).map((asset) => makeUnique(asset, taken));
}

function listAssets(
  { pid, displayName, channels, parts = [] }: ProposedAsset,
  templates: DescribedTemplates,
): readonly FoundAsset[] {
  const templated = parts.flatMap(({ describes, parameters }) => {
    const template = templates.get(describes);
    return template === undefined ? [] : [{ template, parameters }];
  });
  if (templated.length === 0) return [{ pid, displayName, channels }];
  const isOnly = templated.length === 1;
  return templated.map(({ template, parameters }) => ({
    pid: isOnly ? pid : `${pid}-${template}`,
    displayName,
    template,
    parameters,
  }));
}

function makeUnique(asset: FoundAsset, taken: Set<string>): FoundAsset {
  const usual = toPid(asset.pid);
  let pid = usual;
  for (let number = 2; taken.has(pid); number += 1) pid = `${usual}-${number}`;
  taken.add(pid);
  return { ...asset, pid };
}

function toPid(text: string): string {
  const joined = text.normalize('NFC').replaceAll(UNUSUAL, '-').slice(0, MAXIMUM_PID_CHARACTERS);
  const pid = joined.replaceAll(/^[-.]+|[-.]+$/g, '');
  return pid === '' ? 'device' : pid;
}

/** Reason that a scan failed, without the details for the log. */
export interface ScanFailure {
  readonly code: ErrorCode;
  readonly message: string;
}

/** Returns the failure of a scan for clients; a defect of the gateway is logged. */
export function describeScanFailure(error: unknown, logger: Logger): ScanFailure {
  if (error instanceof GatewayError) return { code: error.code, message: error.detail };
  logger.error('scan.failed', { error });
  return { code: 'SCAN_FAILED', message: 'the scan failed' };
}
