"""What the API says of itself: the OpenAPI document, read from routes and signatures."""
