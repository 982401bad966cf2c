"""Names that need no country, with the latitude and longitude of the city that nearly everybody means. Names that several well-known
cities share, such as Springfield, are left out. Written by hand: the positions are rounded to a tenth of a degree."""

KNOWN = (
    # Cities that are no capitals, some with names that are parts of names of capitals.
    ("New York", 40.7, -74.0), ("San Francisco", 37.8, -122.4), ("Los Angeles", 34.1, -118.2), ("Chicago", 41.9, -87.7),
    ("Houston", 29.8, -95.4), ("Boston", 42.4, -71.1), ("Seattle", 47.6, -122.3), ("Miami", 25.8, -80.2),
    ("Las Vegas", 36.2, -115.1), ("San Diego", 32.7, -117.2), ("New Orleans", 30.0, -90.1), ("Philadelphia", 40.0, -75.2),
    ("Toronto", 43.7, -79.4), ("Montreal", 45.5, -73.6), ("Vancouver", 49.3, -123.1), ("Rio de Janeiro", -22.9, -43.2),
    ("São Paulo", -23.5, -46.6), ("Salvador", -13.0, -38.5), ("Guadalajara", 20.7, -103.4), ("Monterrey", 25.7, -100.3),
    ("Medellín", 6.2, -75.6), ("Guayaquil", -2.2, -79.9), ("Manchester", 53.5, -2.2), ("Liverpool", 53.4, -3.0),
    ("Glasgow", 55.9, -4.3), ("Edinburgh", 56.0, -3.2), ("Lyon", 45.8, 4.8), ("Marseille", 43.3, 5.4),
    ("Cologne", 50.9, 7.0), ("Köln", 50.9, 7.0), ("Munich", 48.1, 11.6), ("München", 48.1, 11.6), ("Hamburg", 53.6, 10.0),
    ("Frankfurt", 50.1, 8.7), ("Geneva", 46.2, 6.1), ("Zürich", 47.4, 8.5), ("Milan", 45.5, 9.2), ("Naples", 40.9, 14.3),
    ("Venice", 45.4, 12.3), ("Florence", 43.8, 11.2), ("Barcelona", 41.4, 2.2), ("Seville", 37.4, -6.0), ("Porto", 41.1, -8.6),
    ("Rotterdam", 51.9, 4.5), ("Antwerp", 51.2, 4.4), ("Gothenburg", 57.7, 12.0), ("St Petersburg", 59.9, 30.3),
    ("Saint Petersburg", 59.9, 30.3), ("Kraków", 50.1, 19.9), ("Istanbul", 41.0, 29.0), ("Dubai", 25.2, 55.3),
    ("Mumbai", 19.1, 72.9), ("Bombay", 19.1, 72.9), ("Calcutta", 22.6, 88.4), ("Karachi", 24.9, 67.0), ("Shanghai", 31.2, 121.5),
    ("Hong Kong", 22.3, 114.2), ("Saigon", 10.8, 106.7), ("Osaka", 34.7, 135.5), ("Kyoto", 35.0, 135.8), ("Sydney", -33.9, 151.2),
    ("Melbourne", -37.8, 145.0), ("Auckland", -36.9, 174.8), ("Johannesburg", -26.2, 28.0), ("Cape Town", -33.9, 18.4),
    ("Lagos", 6.5, 3.4), ("Casablanca", 33.6, -7.6), ("Granada", 37.2, -3.6),
    # Capitals.
    ("London", 51.5, -0.1), ("Paris", 48.9, 2.3), ("Berlin", 52.5, 13.4), ("Rome", 41.9, 12.5), ("Vienna", 48.2, 16.4),
    ("Moscow", 55.8, 37.6), ("Athens", 38.0, 23.7), ("Lisbon", 38.7, -9.1), ("Dublin", 53.3, -6.2), ("Washington", 38.9, -77.0),
    ("Mexico City", 19.4, -99.1), ("Lima", -12.0, -77.0), ("Santiago", -33.5, -70.6), ("Bogotá", 4.6, -74.1), ("Quito", -0.2, -78.5),
    ("Jakarta", -6.2, 106.8), ("Tokyo", 35.7, 139.7), ("Beijing", 39.9, 116.4), ("Delhi", 28.7, 77.2), ("Cairo", 30.0, 31.2),
    ("Nairobi", -1.3, 36.8), ("San José", 9.9, -84.1), ("Kingston", 18.0, -76.8), ("Wellington", -41.3, 174.8),
)
