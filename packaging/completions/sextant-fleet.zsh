#compdef sextant-fleet
_arguments \
    '*--state[Keep unacknowledged records in this directory.]:DIR:_files' \
    '*--destination[Report to this server\: mqtt\://HOST\:PORT, mqtts\://..., owntracks+http(s)\://..., traccar+http(s)\://... Repeat for several.]:URL:' \
    '*--destination-file[Report to the servers in this file, one in each line; other users cannot read it. Repeat for several.]:FILE:_files' \
    '*--configured[Read the other options from the section \[fleet.NAME\] of sextant.toml.]:NAME:' \
    '*--config[Read the section from this file only.]:FILE:_files' \
    '*--user[Name of the user in topics (default\: sextant).]:NAME:' \
    '*--device[Name of the device in topics (default\: the host name).]:NAME:' \
    '*--tolerance[Maximum error of the reported track in metres; 0\: report every position (default\: 25).]:METRES:' \
    '*--accuracy[Report positions with this accuracy\: full, or reduced to an area of several kilometres without events.]:ACCURACY:' \
    '*--quiet-hours[Report nothing in these hours of local time, such as 22\:00-06\:00; repeat for several.]:HOURS:' \
    '*--quiet-place[Report nothing within RADIUS metres of this place; repeat for several.]:LAT,LON,RADIUS:' \
    '*--batch[Send one position in this time alone, and the others together, 10 to 3600 seconds; MQTT only. Servers of OwnTracks do not read these messages (default\: send each position alone).]:SECONDS:' \
    '*--keepalive[Send a message after this time without one, 10 to 3600 seconds; MQTT only (default\: 300, or that of --batch if it is longer).]:SECONDS:' \
    '*--spread[Wait up to this time before the first attempt to connect again, 1 to 300 seconds (default\: 1).]:SECONDS:' \
    '*--home-assistant[Send messages to Home Assistant too; MQTT only. This is the default.]' \
    '*--no-home-assistant[Send none\: brokers that allow only topics of OwnTracks end the connection otherwise.]' \
    '*--traccar-json[Send Traccar 6.7 and later its JSON form, instead of that of OsmAnd.]' \
    '*--monitor[Report the events and the fences of this monitor; repeat for several.]:NAME:' \
    '*--version[Show the version.]'
