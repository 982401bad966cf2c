// Serial
