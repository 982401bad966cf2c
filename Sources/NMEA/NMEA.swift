// NMEA
