import type { GatewayEvent } from '../live/gateway-events.ts';
import { EVENTS } from '../text/events.ts';
import { fill } from '../text/fill.ts';
import { bundleWords } from './bundle-state.ts';
import { explainCause } from './gateway-words.ts';
import type { Tone } from './connection-state.ts';

/** Event as text. */
interface ShownEvent {
  readonly tone: Tone;
  readonly words: string;
  /** Cause, with the message of the gateway. */
  readonly cause: string;
}

/** Describes an event. */
export function showEvent(event: GatewayEvent): ShownEvent {
  const { message = '', errorCode, cause = message, causeCode = errorCode?.toString(), causeReasons } = event;
  return { ...describeEvent(event), cause: explainCause(causeCode, cause, causeReasons) };
}

function describeEvent(event: GatewayEvent): Omit<ShownEvent, 'cause'> {
  const { type, driver = '', unit = '', bundle = '', state = '', snapshot = '' } = event;
  switch (type) {
    case 'CONNECTION_STATE':
      return state === 'UP'
        ? { tone: 'none', words: fill(EVENTS.connectionUp, { driver }) }
        : { tone: 'attention', words: fill(EVENTS.connectionDown, { driver }) };
    case 'UNIT_STATE':
      return state === 'SUSPENDED'
        ? { tone: 'attention', words: fill(EVENTS.unitSuspended, { driver, unit }) }
        : { tone: 'none', words: fill(EVENTS.unitAnswering, { driver, unit }) };
    case 'CONFIGURATION_CHANGED':
      return { tone: 'none', words: fill(EVENTS.configuration, { snapshot }) };
    case 'DEPLOYMENT':
      return describeDeployment(event);
    case 'BUNDLE_STATE':
      return {
        tone: state === 'FAILED' ? 'fault' : 'none',
        words: fill(EVENTS.bundle, { bundle, state: bundleWords(state) }),
      };
    case 'RECORDING_STATE':
      return state === 'STOPPED'
        ? { tone: 'fault', words: fill(EVENTS.recordingStopped) }
        : state === 'HISTORY_STOPPED'
          ? { tone: 'fault', words: fill(EVENTS.historyStopped) }
          : { tone: 'none', words: fill(EVENTS.recordingResumed) };
    case 'gap':
      return { tone: 'attention', words: fill(EVENTS.gap) };
    default:
      return { tone: 'none', words: fill(EVENTS.unknown, { type }) };
  }
}

function describeDeployment({
  operation,
  successful = false,
  name = fill(EVENTS.aPackage),
  version = '',
}: GatewayEvent): Omit<ShownEvent, 'cause'> {
  const isInstall = operation === 'INSTALLED';
  const done = isInstall ? EVENTS.installed : EVENTS.uninstalled;
  const failed = isInstall ? EVENTS.installFailed : EVENTS.uninstallFailed;
  const words = fill(successful ? done : failed, { name, version });
  return { tone: successful ? 'none' : 'fault', words: words.replace('  ', ' ') };
}
