/** Titles of the device templates of the gateway and descriptions of their parameters in German, by their English words. */
export const GERMAN_TEMPLATES: Readonly<Record<string, string>> = {
  'Three-phase energy meter ABB B23 or B24': 'Dreiphasiger Energiezähler ABB B23 oder B24',
  'Barcode scanner that sends each code as a line': 'Barcode-Scanner, der jeden Code als Zeile sendet',
  'Three-phase energy meter EM340': 'Dreiphasiger Energiezähler EM340',
  'Frequency converter Danfoss VLT with the FC profile': 'Frequenzumrichter Danfoss VLT mit FC-Profil',
  'Three-phase energy meter Eastron SDM630': 'Dreiphasiger Energiezähler Eastron SDM630',
  'Boiler of the simulated plant, to try templates out':
    'Kessel der simulierten Anlage, um Vorlagen auszuprobieren',
  'Three-phase inverter Fronius GEN24 with floating-point models':
    'Dreiphasiger Wechselrichter Fronius GEN24 mit Gleitkomma-Modellen',
  'Solar inverter Huawei SUN2000': 'Solar-Wechselrichter Huawei SUN2000',
  'Power analyser UMG 96RM-EL': 'Netzanalysator UMG 96RM-EL',
  'Heat pump Lambda Eureka Luft': 'Wärmepumpe Lambda Eureka Luft',
  'Remote I/O Moxa ioLogik E1214 with 6 inputs and 6 relays':
    'Remote I/O Moxa ioLogik E1214 mit 6 Eingängen und 6 Relais',
  'Remote I/O Moxa ioLogik E1240 with 8 analog inputs':
    'Remote I/O Moxa ioLogik E1240 mit 8 analogen Eingängen',
  'Scale or balance with the command set MT-SICS, levels 0 and 1':
    'Waage mit dem Befehlssatz MT-SICS, Stufe 0 und 1',
  'Satellite receiver that sends NMEA 0183 sentences GGA and RMC':
    'Satellitenempfänger, der die NMEA-0183-Sätze GGA und RMC sendet',
  'Weather station that sends NMEA 0183 sentences MWV and MDA':
    'Wetterstation, die die NMEA-0183-Sätze MWV und MDA sendet',
  'Three-phase energy meter Acti 9 iEM3155': 'Dreiphasiger Energiezähler Acti 9 iEM3155',
  'Power supply with SCPI commands over a serial line':
    'Netzgerät mit SCPI-Befehlen über eine serielle Schnittstelle',
  'Power monitoring device SENTRON PAC4200': 'Multifunktionsmessgerät SENTRON PAC4200',
  'Heat pump with the manager WPM behind an Internet Service Gateway':
    'Wärmepumpe mit dem Manager WPM hinter einem Internet Service Gateway',
  'SunSpec model 701, AC measurements': 'SunSpec-Modell 701, AC-Messungen',
  'SunSpec model 702, capacity and ratings': 'SunSpec-Modell 702, Kapazität und Nennwerte',
  'SunSpec model 703, entering service': 'SunSpec-Modell 703, Zuschaltung',
  'SunSpec model 704, AC controls': 'SunSpec-Modell 704, AC-Steuerung',
  'SunSpec model 705, volt-var curves': 'SunSpec-Modell 705, Volt-Var-Kennlinien',
  'SunSpec model 706, volt-watt curves': 'SunSpec-Modell 706, Volt-Watt-Kennlinien',
  'SunSpec model 707 or 708, trip curves of low or high voltage':
    'SunSpec-Modell 707 oder 708, Auslösekennlinien bei Unter- oder Überspannung',
  'SunSpec model 709 or 710, trip curves of low or high frequency':
    'SunSpec-Modell 709 oder 710, Auslösekennlinien bei Unter- oder Überfrequenz',
  'SunSpec model 711, frequency droop': 'SunSpec-Modell 711, Frequenzstatik',
  'SunSpec model 712, watt-var curves': 'SunSpec-Modell 712, Watt-Var-Kennlinien',
  'SunSpec model 713, storage capacity': 'SunSpec-Modell 713, Speicherkapazität',
  'Inputs of an inverter with SunSpec model 160': 'Eingänge eines Wechselrichters mit SunSpec-Modell 160',
  'Inverter with a SunSpec integer model 101, 102 or 103':
    'Wechselrichter mit einem ganzzahligen SunSpec-Modell 101, 102 oder 103',
  'Inverter with a SunSpec floating-point model 111, 112 or 113':
    'Wechselrichter mit einem SunSpec-Gleitkomma-Modell 111, 112 oder 113',
  'Meter with a SunSpec integer model 201, 202, 203 or 204':
    'Zähler mit einem ganzzahligen SunSpec-Modell 201, 202, 203 oder 204',
  'Letter of the unit of wind speed in the sentences: M, K or N':
    'Buchstabe der Einheit der Windgeschwindigkeit in den Sätzen: M, K oder N',
  'Unit of that letter: M is m/s, K is km/h, N is kn':
    'Einheit dieses Buchstabens: M ist m/s, K ist km/h, N ist kn',
  'Address of the first register of the model, which holds its number':
    'Adresse des ersten Registers des Modells, das seine Nummer enthält',
  'Number of PV strings that are read': 'Zahl der PV-Strings, die gelesen werden',
  'Number of boilers for hot water': 'Zahl der Warmwasserspeicher',
  'Number of buffers': 'Zahl der Pufferspeicher',
  'Number of curves or controls, which the model holds':
    'Zahl der Kennlinien oder Steuerungen, die das Modell enthält',
  'Number of heat pumps': 'Zahl der Wärmepumpen',
  'Number of inputs, which the ninth register of the model holds':
    'Zahl der Eingänge, die das neunte Register des Modells enthält',
  'Points of each curve, which the model holds': 'Punkte jeder Kennlinie, die das Modell enthält',
  'Unit identifier of the device': 'Unit-ID des Geräts',
  'Unit of the weights that the scale shows, as it sends it':
    'Einheit der Gewichte, die die Waage anzeigt, wie sie sie sendet',
};
