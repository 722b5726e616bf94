/** The inputs that the gateway can set. */
export interface PlantInputs {
  readonly isPumpOn: boolean;
  /** Setpoint of the flow temperature in °C. */
  readonly setpoint: number;
}

/** The state of the plant at one moment. */
export interface PlantState {
  /** Milliseconds since the last whole step. */
  readonly leftoverMs: number;
  readonly flowTemperature: number;
  readonly returnTemperature: number;
  /** Revolutions per minute. */
  readonly pumpSpeed: number;
  readonly isBurnerOn: boolean;
  /** Heat that the burner has produced, in joules. */
  readonly energyJoules: bigint;
  /** Time that the pump has run. */
  readonly operatingMs: number;
}

/** The values that the instruments of the plant show. */
export interface PlantValues extends PlantInputs {
  /** °C. */
  readonly flowTemperature: number;
  readonly returnTemperature: number;
  /** bar. */
  readonly pressure: number;
  /** Revolutions per minute. */
  readonly pumpSpeed: number;
  readonly isBurnerOn: boolean;
  readonly energyWattHours: bigint;
  readonly operatingHours: number;
  readonly isTooHot: boolean;
  readonly isPumpStanding: boolean;
  /** m³/h. */
  readonly volumeFlow: number;
  readonly heatPowerWatts: number;
}

/** The plant advances in steps of this length. */
export const STEP_MS = 250;

/** The plant starts warm and running. */
export const INITIAL_INPUTS: PlantInputs = { isPumpOn: true, setpoint: 60 };
export const INITIAL_STATE: PlantState = {
  leftoverMs: 0,
  flowTemperature: 55,
  returnTemperature: 42,
  pumpSpeed: 1450,
  isBurnerOn: true,
  energyJoules: 412_650_300n * 3600n,
  operatingMs: 18_312 * 3_600_000,
};

const AMBIENT_TEMPERATURE = 20;
const ALARM_TEMPERATURE = 85;
const LOWEST_SETPOINT = 20;
const HIGHEST_SETPOINT = 90;
/** The burner starts this far below the setpoint and stops this far above it, in kelvin. */
const HYSTERESIS = 2;

const FULL_SPEED = 1450;
const SPEED_PER_STEP = 125;
const BURNER_WATTS = 24_000;
const BURNER_JOULES_PER_STEP = (BURNER_WATTS * STEP_MS) / 1000;

// Temperature rise by the burner in one step; shares of a temperature difference that are exchanged in one step.
const BURNER_RISE = 0.2;
const RADIATORS = 0.005;
const ROOMS = 0.00375;
const BOILER_LOSS = 0.0002;

// 1.163 kWh heats one cubic metre of water by one kelvin.
const WATT_HOURS_PER_CUBIC_METRE_AND_KELVIN = 1163;
const VOLUME_FLOW_AT_FULL_SPEED = 1.2;

/**
 * Returns the state of the plant after some time with constant inputs.
 *
 * Time advances in whole steps of {@link STEP_MS}; the remainder counts towards the next step. Advancing twice by half the
 * time yields exactly the same state as advancing once.
 *
 * @param elapsedMs at least 0
 */
export function advancePlant(state: PlantState, inputs: PlantInputs, elapsedMs: number): PlantState {
  const totalMs = state.leftoverMs + elapsedMs;
  const steps = Math.floor(totalMs / STEP_MS);
  let present = state;
  for (let step = 0; step < steps; step += 1) present = takeStep(present, inputs);
  return { ...present, leftoverMs: totalMs - steps * STEP_MS };
}

function takeStep(state: PlantState, { isPumpOn, setpoint }: PlantInputs): PlantState {
  const { flowTemperature, returnTemperature } = state;
  const pumpSpeed = isPumpOn
    ? Math.min(FULL_SPEED, state.pumpSpeed + SPEED_PER_STEP)
    : Math.max(0, state.pumpSpeed - SPEED_PER_STEP);
  // As in a real controller: it stores any setpoint, and controls to the nearest safe one.
  const wanted = Math.min(HIGHEST_SETPOINT, Math.max(LOWEST_SETPOINT, setpoint));
  const isBurnerOn = isPumpOn && flowTemperature < wanted + (state.isBurnerOn ? HYSTERESIS : -HYSTERESIS);
  const exchanged = RADIATORS * (pumpSpeed / FULL_SPEED) * (flowTemperature - returnTemperature);
  return {
    leftoverMs: state.leftoverMs,
    flowTemperature:
      flowTemperature +
      (isBurnerOn ? BURNER_RISE : 0) -
      exchanged -
      BOILER_LOSS * (flowTemperature - AMBIENT_TEMPERATURE),
    returnTemperature: returnTemperature + exchanged - ROOMS * (returnTemperature - AMBIENT_TEMPERATURE),
    pumpSpeed,
    isBurnerOn,
    energyJoules: state.energyJoules + (isBurnerOn ? BigInt(BURNER_JOULES_PER_STEP) : 0n),
    operatingMs: state.operatingMs + (pumpSpeed > 0 ? STEP_MS : 0),
  };
}

/** Returns the values that the instruments show. */
export function readPlant(state: PlantState, inputs: PlantInputs): PlantValues {
  const { flowTemperature, returnTemperature, pumpSpeed, isBurnerOn } = state;
  const pumpShare = pumpSpeed / FULL_SPEED;
  const volumeFlow = VOLUME_FLOW_AT_FULL_SPEED * pumpShare;
  return {
    ...inputs,
    flowTemperature,
    returnTemperature,
    pressure: 1.4 + 0.006 * (flowTemperature - AMBIENT_TEMPERATURE) + 0.15 * pumpShare,
    pumpSpeed,
    isBurnerOn,
    energyWattHours: state.energyJoules / 3600n,
    operatingHours: Math.floor(state.operatingMs / 3_600_000),
    isTooHot: flowTemperature > ALARM_TEMPERATURE,
    isPumpStanding: pumpSpeed === 0,
    volumeFlow,
    heatPowerWatts:
      volumeFlow * WATT_HOURS_PER_CUBIC_METRE_AND_KELVIN * (flowTemperature - returnTemperature),
  };
}
